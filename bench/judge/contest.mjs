/**
 * The times on which a verdict rests, measured again: the chosen format and those that seemed faster, alone in new engines. Beside thirty
 * other formats a time depends on its place in memory and on what ran before it, and the least of thirty times is a lucky one.
 */
import { storeMatrix } from '../../dist/formats/store.js';
import { median } from '../times.mjs';
import { challengersOf, WORTH } from './challengers.mjs';
import { openCpu, planFor, turn, vectorsFor } from './cpu.mjs';
import { TWINS } from './report.mjs';
import { wayOf } from './threads.mjs';

const PASSES = 3;

/** Each format is stored and timed in so many engines, in so many rounds of each. */
const ENGINES = 3;
const WAKE_UP_MS = 100;
const ROUNDS = 10;

/** Replaces the times of a line of `measureOnCpu`, with the choice: that of the chosen format stays, the others are given by their ratio to it. */
export async function contest(matrix, { dtype, threads, auto, predicted, formats }) {
  const named = (name) => formats.find(({ asked }) => asked.includes(name));
  const chosen = named(auto);
  const always = [...new Set([chosen, named(predicted), ...TWINS.map(named)])];
  const isDoubtful = ([a, b]) => WORTH * Math.min(a.ms, b.ms) < Math.max(a.ms, b.ms);
  const met = new Map(always.map((format) => [format, []]));
  for (let pass = 0; pass < PASSES; pass++) {
    const challengers = challengersOf(
      formats.filter((format) => !met.has(format)),
      chosen,
    );
    if (challengers.length === 0 && (pass > 0 || !isDoubtful(TWINS.map(named)))) return;
    for (const format of challengers) met.set(format, []);
    // The chosen format is the first.
    const meeting = [...always, ...challengers];
    for (let k = 0; k < ENGINES; k++) {
      const rounds = await roundsAlone(matrix, dtype, threads, meeting);
      for (const times of rounds)
        for (const [place, format] of meeting.entries()) met.get(format).push(times[place] / times[0]);
    }
    for (const format of meeting) format.ms = chosen.ms * median(met.get(format));
  }
}

/** For each round the times of all, taken one after another: what disturbs a round disturbs all of them. */
async function roundsAlone(matrix, dtype, threads, meeting) {
  const engine = await openCpu([threads]);
  const { x, y } = vectorsFor(engine, matrix, dtype);
  const runs = meeting.map(({ asked: [name] }) => {
    const { spec, ...way } = wayOf(name, threads);
    const plan = planFor(engine, storeMatrix(engine.heap, matrix, spec, dtype), { threads, ...way });
    return () => plan.run(x, y, 1, 0);
  });
  try {
    for (const end = performance.now() + WAKE_UP_MS; performance.now() < end; ) for (const run of runs) run();
    return Array.from({ length: ROUNDS }, () => runs.map(turn));
  } finally {
    await engine.dispose();
  }
}
