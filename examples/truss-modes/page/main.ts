/**
 * A bridge that swings in one of its first twelve modes, and a slider for the mass of a train on it: for each mass the page asks for the modes again. The engine
 * is in a worker, so the bridge goes on swinging meanwhile.
 */
import { createAsyncEngine } from 'sparlane/async';
import { bridgeOf, frequencyOf, matricesOf, swung } from './bridge.js';

const MODES = 12;
const PERIOD_MS = 2000;
/** How far the joint goes that moves most, in metres of the picture. */
const DISTANCE = 4;

const find = <T extends Element>(selector: string) => document.querySelector<T>(selector)!;
const modeSlider = find<HTMLInputElement>('#mode');
const loadSlider = find<HTMLInputElement>('#load');
const canvas = find<HTMLCanvasElement>('canvas');
const print = (text: string) => {
  find('pre').textContent = text;
};

let hints = '';
const engine = await createAsyncEngine({
  onHint: ({ message }) => {
    hints += `\nHint: ${message}`;
  },
});
const bridge = bridgeOf();

/** The modes that are shown: one after the other, and their eigenvalues. */
let shown: { readonly values: Float64Array; readonly vectors: Float64Array } | undefined;
/** The mass that is shown, or that a search is under way for, in tonnes. */
let load: number | undefined;
let isBusy = false;
let searches = 0;

/** Searches for the mass of the slider until it has not changed meanwhile: what it was in between is left out. */
async function follow(): Promise<void> {
  find('#load-shown').textContent = `${loadSlider.value} t`;
  if (isBusy) return;
  isBusy = true;
  try {
    while (load !== loadSlider.valueAsNumber) {
      load = loadSlider.valueAsNumber;
      await searchFor(load);
    }
  } catch (error) {
    print(String(error));
  } finally {
    isBusy = false;
  }
}

async function searchFor(tonnes: number): Promise<void> {
  const { K, M } = matricesOf(bridge, 1000 * tonnes);
  const begin = performance.now();
  const { values, vectors, reason, decision } = await engine.eigs(K, MODES, { B: M });
  const time = `${(performance.now() - begin).toFixed(0)} ms`;
  shown = { values, vectors };
  searches++;
  const frequencies = Array.from(values, (value) => frequencyOf(value).toFixed(3)).join(', ');
  print(
    `train ${tonnes} t: ${frequencies} Hz\n${decision.method}, ${reason}, ${time}\n${searches} searches; ${bridge.unknowns} unknowns, ${engine.threads} threads${hints}`,
  );
}

const [width, height] = [1100, 220];
/** Pixels of a metre, and where the left support is. */
const [SCALE, LEFT, BOTTOM] = [10, 50, 140];
canvas.width = width;
canvas.height = height;
const context = canvas.getContext('2d')!;

function draw(time: number): void {
  requestAnimationFrame(draw);
  const mode = modeSlider.valueAsNumber - 1;
  const frequency = shown && frequencyOf(shown.values[mode]!);
  find('#mode-shown').textContent = `${mode + 1}${frequency === undefined ? '' : `, ${frequency.toFixed(3)} Hz`}`;
  if (shown === undefined) return;
  const { unknowns, bars } = bridge;
  const vector = shown.vectors.subarray(mode * unknowns, (mode + 1) * unknowns);
  const joints = swung(bridge, vector, DISTANCE * Math.sin((2 * Math.PI * time) / PERIOD_MS));
  const place = (joint: number): [number, number] => [
    LEFT + SCALE * joints[joint]![0],
    BOTTOM - SCALE * joints[joint]![1],
  ];
  context.clearRect(0, 0, width, height);
  context.beginPath();
  for (const [from, to] of bars) {
    context.moveTo(...place(from));
    context.lineTo(...place(to));
  }
  context.strokeStyle = '#0072b2';
  context.stroke();
  if (load === undefined || load === 0) return;
  const [x, y] = place(bridge.loaded);
  const side = 4 + 2 * Math.sqrt(load);
  context.fillStyle = '#d55e00';
  context.fillRect(x - side / 2, y, side, side);
}

loadSlider.addEventListener('input', follow);
requestAnimationFrame(draw);
await follow();
