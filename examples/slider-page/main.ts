/**
 * A slider changes the conductivity of a part of a plate; the page solves 202,500 equations for each value and draws the temperature. The engine is
 * in a worker: the page computes the numbers of the matrix, and colours.
 *
 * Each drag gives the matrix other numbers in the same pattern, so multigrid is updated, not made again, and cg starts from the temperature that is shown.
 * `?side=120` makes a smaller plate.
 */
import { createAsyncEngine } from 'sparlane/async';
import { flowOf, matrixOf, plateOf, valuesOf } from './plate.js';

const slider = document.querySelector('input')!;
const shown = document.querySelector('output')!;
const canvas = document.querySelector('canvas')!;
const print = (text: string) => {
  document.querySelector('pre')!.textContent = text;
};

/** Enough for a picture and for four digits of the flow. */
const RTOL = 1e-6;

const kappaOf = () => 10 ** slider.valueAsNumber;

let hints = '';
const engine = await createAsyncEngine({
  onHint: ({ message }) => {
    hints += `\nHint: ${message}`;
  },
});
const plate = plateOf(Number(new URLSearchParams(location.search).get('side') ?? 450));
const { side, b } = plate;
const begin = performance.now();
const solver = await engine.solver(matrixOf(plate, 1), { method: 'cg', preconditioner: 'amg', rtol: RTOL });
const setup = `${b.length} unknowns, ${engine.threads} threads, ready after ${(performance.now() - begin).toFixed(0)} ms`;

/** The temperature that is shown. */
let u: Float64Array = new Float64Array(b.length);
/** The conductivity that is shown, or that a solve is under way for. */
let kappa: number | undefined;
let isBusy = false;
let solves = 0;

/** Solves for the value of the slider until it has not changed meanwhile: what it was in between is left out. */
async function follow(): Promise<void> {
  shown.textContent = kappaOf().toPrecision(3);
  if (isBusy) return;
  isBusy = true;
  try {
    while (kappa !== kappaOf()) {
      kappa = kappaOf();
      await solveFor(kappa);
    }
  } catch (error) {
    print(String(error));
  } finally {
    isBusy = false;
  }
}

async function solveFor(kappa: number): Promise<void> {
  const start = performance.now();
  await solver.update(valuesOf(plate, kappa));
  const updated = performance.now();
  const { x, iterations, converged } = await solver.solve(b, { x0: u });
  const solved = performance.now();
  u = x;
  draw();
  solves++;
  const times = `update ${(updated - start).toFixed(0)} ms, solve ${(solved - updated).toFixed(0)} ms, drawn in ${(performance.now() - solved).toFixed(0)} ms`;
  const result = `conductivity ${kappa.toPrecision(3)}: flow ${flowOf(plate, u).toFixed(4)}, ${iterations} iterations${converged ? '' : ', not converged'}`;
  print(`${result}\n${times}\n${solves} solves; ${setup}${hints}`);
}

/** Colours of equal steps of temperature, whose edges are isotherms. */
const BANDS = 20;
const colours = Uint32Array.from({ length: BANDS }, (_, k) => {
  const share = (k + 0.5) / BANDS;
  const [red, green, blue] = [255 * share, 60 + 120 * (1 - Math.abs(2 * share - 1)), 255 * (1 - share)];
  return (255 << 24) | (blue << 16) | (green << 8) | red;
});
canvas.width = side;
canvas.height = side;
const context = canvas.getContext('2d')!;
const image = context.createImageData(side, side);
const pixels = new Uint32Array(image.data.buffer);

function draw(): void {
  for (let k = 0; k < u.length; k++) pixels[k] = colours[Math.max(0, Math.min(BANDS - 1, Math.floor(BANDS * u[k]!)))]!;
  context.putImageData(image, 0, 0);
}

slider.addEventListener('input', follow);
await follow();
