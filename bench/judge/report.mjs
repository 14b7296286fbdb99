/** The verdict on recorded times: regret of the choice against the best of all formats, and its gain over `csr`. */
import { quantile } from '../cases.mjs';
import { geometricMean } from '../report/statistics.mjs';

/** Lines of text. `autoOf(record)`: the chosen spec; default: the recorded one. */
export function* verdict(records, { worst = 15, autoOf = ({ auto }) => auto } = {}) {
  const judged = records.flatMap((record) => {
    const chosen = autoOf(record);
    const ms = record.times.get(chosen);
    if (ms === undefined) return [];
    const best = [...record.times].reduce((a, b) => (b[1] < a[1] ? b : a))[0];
    return [{ record, chosen, best, regret: ms / record.best, gain: record.times.get('csr') / ms }];
  });
  yield line('all', judged);
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
  const peers = judged.filter(({ record }) => record.peers?.some(({ ms }) => ms !== undefined));
  if (peers.length > 0) yield* againstPeers(peers);
}

function* againstPeers(judged) {
  yield '';
  yield peerLine('against the best of the peers', judged);
  const keyOf = ({ record }) => `${record.dtype}, ${sizeOf(record.nnz)}`;
  const keys = [...new Set(judged.map(keyOf))].sort();
  for (const key of keys)
    yield peerLine(
      key,
      judged.filter((one) => keyOf(one) === key),
    );
}

function peerLine(label, judged) {
  const ratios = judged.map(({ record, chosen }) => {
    const ms = Math.min(...record.peers.flatMap(({ ms }) => ms ?? []));
    return { auto: ms / record.times.get(chosen), best: ms / record.best, csr: ms / record.times.get('csr') };
  });
  const mean = (key) => geometricMean(ratios.map((one) => one[key])).toFixed(2);
  const least = Math.min(...ratios.map(({ auto }) => auto)).toFixed(2);
  return `${label}, ${judged.length}: auto ${mean('auto')} × on average, least ${least}; best ${mean('best')}; csr ${mean('csr')}`;
}

function sizeOf(nnz) {
  return nnz < 1e5 ? 'below 10⁵ entries' : nnz < 1e6 ? 'below 10⁶' : nnz < 1e7 ? 'below 10⁷' : 'from 10⁷ on';
}

function* grouped(judged, keyOf) {
  const groups = new Map();
  for (const one of judged) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  for (const [key, some] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) yield line(key, some);
}

function line(label, judged) {
  const regrets = judged.map(({ regret }) => regret).sort((a, b) => a - b);
  const gains = judged.map(({ gain }) => gain).sort((a, b) => a - b);
  const possible = geometricMean(judged.map(({ record }) => record.times.get('csr') / record.best));
  const [median, most, worst] = [0.5, 0.95, 1].map((share) => (100 * (quantile(regrets, share) - 1)).toFixed(1));
  return (
    `${label.padEnd(18)} ${`${judged.length}`.padStart(5)}  regret: median ${median} %, 95 % ${most} %, worst ${worst} %, ` +
    `mean ${(100 * (geometricMean(regrets) - 1)).toFixed(1)} %;  ` +
    `over csr: ${geometricMean(gains).toFixed(2)} (${possible.toFixed(2)} possible), least ${gains[0].toFixed(2)}`
  );
}
