/**
 * The times on which a verdict rests, measured again: the chosen format and those that seemed faster, alone in new engines. Beside thirty
 * other formats a time depends on its place in memory and on what ran before it, and the least of thirty times is a lucky one.
 */
import { storeMatrix } from '#dist/formats/registry.js';
import { median } from '../contenders.mjs';
import { openCpu, planFor, turn, typical, vectorsFor } from './cpu.mjs';
import { TWINS } from './report.mjs';

/** A format that seems faster than the chosen one by this factor is a challenger; so many meet the chosen one at a time. */
const WORTH = 1.05;
const CHALLENGERS = 3;
const PASSES = 3;

/** Each format is stored and timed in so many engines; its time is the median of them. */
const ENGINES = 3;
const WAKE_UP_MS = 100;
const ROUNDS = 6;

/** Replaces the times of a line of `measureOnCpu`. */
export async function contest(matrix, { dtype, threads, auto, formats }) {
  const named = (name) => formats.find(({ asked }) => asked.includes(name));
  const chosen = named(auto);
  const always = [...new Set([chosen, ...TWINS.map(named)])];
  const isDoubtful = ([a, b]) => WORTH * Math.min(a.ms, b.ms) < Math.max(a.ms, b.ms);
  const met = new Map(always.map((format) => [format, []]));
  for (let pass = 0; pass < PASSES; pass++) {
    const challengers = formats
      .filter((format) => !met.has(format) && WORTH * format.ms < chosen.ms)
      .sort((a, b) => a.ms - b.ms)
      .slice(0, CHALLENGERS);
    if (challengers.length === 0 && (pass > 0 || !isDoubtful(TWINS.map(named)))) return;
    for (const format of challengers) met.set(format, []);
    const meeting = [...always, ...challengers];
    for (let k = 0; k < ENGINES; k++) {
      const times = await timesAlone(matrix, dtype, threads, meeting);
      for (const [place, format] of meeting.entries()) met.get(format).push(times[place]);
    }
    for (const format of meeting) format.ms = median(met.get(format));
  }
}

async function timesAlone(matrix, dtype, threads, meeting) {
  const engine = await openCpu([threads]);
  const { x, y } = vectorsFor(engine, matrix, dtype);
  const runs = meeting.map(({ asked: [spec] }) => {
    const plan = planFor(engine, storeMatrix(engine.heap, matrix, spec, dtype), threads);
    return { turns: [], run: () => plan.run(x, y, 1, 0) };
  });
  try {
    for (const end = performance.now() + WAKE_UP_MS; performance.now() < end; ) for (const { run } of runs) run();
    for (let round = 0; round < ROUNDS; round++)
      for (const { turns, run } of round % 2 ? runs.toReversed() : runs) turns.push(turn(run));
    return runs.map(({ turns }) => typical(turns));
  } finally {
    await engine.dispose();
  }
}
