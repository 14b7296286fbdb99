/** The verdict on recorded times: regret of the choice against the best of all formats, and its gain over `csr`. */
import { geometricMean } from '../report/statistics.mjs';
import { quantile } from '../times.mjs';

/** Lines of text. `autoOf(record)`: the chosen spec; default: the recorded choice, of records without trials the predicted one. */
export function* verdict(records, { worst = 15, autoOf = ({ auto, predicted }) => auto ?? predicted } = {}) {
  const judged = judge(records, autoOf);
  yield line('all', judged);
  const tuned = records.filter(({ tuneMs }) => tuneMs !== undefined);
  if (tuned.length > 0) {
    yield line(
      'predicted alone',
      judge(tuned, ({ predicted }) => predicted),
    );
    yield* trialsOf(tuned);
  }
  yield '';
  const whereOf = ({ record }) => `${record.device ?? `${record.threads} threads`} ${record.dtype}`;
  yield* grouped(judged, whereOf);
  yield '';
  yield* grouped(judged, ({ record }) => record.structure);
  yield '';
  yield* grouped(judged, ({ record }) => sizeOf(record.nnz));
  yield '';
  for (const { record, chosen, best, regret, gain } of judged.toSorted((a, b) => b.regret - a.regret).slice(0, worst)) {
    const { seed, rows, cols, nnz, description } = record;
    yield `${regret.toFixed(2)} (${gain.toFixed(2)} × csr) ${whereOf({ record })}, seed ${seed}: ${chosen} instead of ${best}`;
    yield `     ${description}; ${rows} × ${cols}, ${nnz} entries`;
  }
  yield* noiseOf(judged);
  const peers = judged.filter(({ record }) => record.peers?.some(({ ms }) => ms !== undefined));
  if (peers.length > 0) yield* againstPeers(peers);
}

function judge(records, chosenOf) {
  return records.flatMap((record) => {
    const chosen = chosenOf(record);
    const ms = record.times.get(chosen);
    if (ms === undefined) return [];
    const best = [...record.times].reduce((a, b) => (b[1] < a[1] ? b : a))[0];
    return [{ record, chosen, best, regret: ms / record.best, gain: record.times.get('csr') / ms }];
  });
}

/** What trials cost. */
function* trialsOf(records) {
  const ascending = (figureOf) => records.map(figureOf).sort((a, b) => a - b);
  const trials = ascending((record) => record.trials);
  const ms = ascending(({ tuneMs }) => tuneMs);
  const products = ascending(({ tuneMs, times }) => tuneMs / times.get('csr'));
  const [median, most] = [0.5, 0.95].map((share) => {
    const [count, time, ofCsr] = [trials, ms, products].map((figures) => quantile(figures, share).toFixed(0));
    return `${count} formats, ${time} ms, ${ofCsr} products of csr`;
  });
  yield `measured: in the median ${median}; 95 %: ${most}`;
}

/**
 * These formats have the same kernel and the same arrays. On one thread their times differ only by what is not the format; on several, `csrk` has parts of whole
 * groups of rows.
 */
export const TWINS = ['csr', 'csrk'];

/** The regret of a choice between twins: below it, a regret says nothing. */
function* noiseOf(judged) {
  const ratios = judged.flatMap(({ record: { times } }) => {
    const [a, b] = TWINS.map((spec) => times.get(spec));
    return a === undefined || b === undefined || a === b ? [] : [Math.max(a, b) / Math.min(a, b)];
  });
  if (ratios.length === 0) return;
  ratios.sort((a, b) => a - b);
  yield '';
  yield `noise, ${TWINS.join(' and ')} (the same kernel and arrays, on several threads in parts of other rows): differ by ${spreadOf(ratios)}`;
}

/** Of ratios from 1 on, ascending. */
function spreadOf(ratios) {
  const [median, most, worst] = [0.5, 0.95, 1].map((share) => (100 * (quantile(ratios, share) - 1)).toFixed(1));
  return `median ${median} %, 95 % ${most} %, worst ${worst} %`;
}

function* againstPeers(judged) {
  const names = [
    ...new Set(
      judged.flatMap(({ record }) => record.peers.flatMap(({ name, ms }) => (ms === undefined ? [] : [name]))),
    ),
  ];
  const leastOf = (peers) => Math.min(...peers.flatMap(({ ms }) => ms ?? []));
  yield '';
  for (const name of names)
    yield peerLine(`over ${name}`, judged, (peers) => peers.find((one) => one.name === name)?.ms);
  yield peerLine('over the best of them', judged, leastOf);
  yield* [...groupsOf(judged, ({ record }) => `${record.dtype}, ${sizeOf(record.nnz)}`)].map(([key, some]) =>
    peerLine(`  ${key}`, some, leastOf),
  );
}

/** Geometric means, and on how many of all the choice is slower. */
function peerLine(label, judged, msOf) {
  const ratios = judged.flatMap(({ record, chosen }) => {
    const ms = msOf(record.peers);
    return ms === undefined
      ? []
      : [{ auto: ms / record.times.get(chosen), csr: ms / record.times.get('csr'), best: ms / record.best }];
  });
  const mean = (key) => geometricMean(ratios.map((one) => one[key])).toFixed(2);
  const least = Math.min(...ratios.map(({ auto }) => auto)).toFixed(2);
  const behind = ratios.filter(({ auto }) => auto < 1).length;
  return `${label}: best of ours ${mean('best')} ×, auto ${mean('auto')}, least ${least}, behind on ${behind} of ${ratios.length}; csr ${mean('csr')}`;
}

function sizeOf(nnz) {
  return nnz < 1e5 ? 'below 10⁵ entries' : nnz < 1e6 ? 'below 10⁶' : nnz < 1e7 ? 'below 10⁷' : 'from 10⁷ on';
}

function* grouped(judged, keyOf) {
  for (const [key, some] of groupsOf(judged, keyOf)) yield line(key, some);
}

/** In the order of the keys. */
function groupsOf(judged, keyOf) {
  const groups = new Map();
  for (const one of judged) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

function line(label, judged) {
  const regrets = judged.map(({ regret }) => regret).sort((a, b) => a - b);
  const gains = judged.map(({ gain }) => gain).sort((a, b) => a - b);
  const possible = geometricMean(judged.map(({ record }) => record.times.get('csr') / record.best));
  return (
    `${label.padEnd(18)} ${`${judged.length}`.padStart(5)}  regret: ${spreadOf(regrets)}, ` +
    `mean ${(100 * (geometricMean(regrets) - 1)).toFixed(1)} %;  ` +
    `over csr: ${geometricMean(gains).toFixed(2)} (${possible.toFixed(2)} possible), least ${gains[0].toFixed(2)}`
  );
}
