/** The report of the GPU's benchmark, line by line, in Markdown. Pure. */
import { geometricMean } from '../report/statistics.mjs';
import { claimsOf } from './claims.mjs';
import { cusparse, ours, PREPROCESSED } from './results.mjs';

export function* report(results) {
  yield* machine(results);
  for (const dtype of results.dtypes) yield* comparison(results, dtype);
  for (const dtype of results.dtypes) yield* ownValues(results, dtype);
  for (const dtype of results.dtypes) {
    for (const { title, claim, header, rows, found } of claimsOf(results, dtype)) {
      yield* ['', `### ${title}, ${dtype}`, '', `Claim: ${claim}.`, '', ...table(header, rows), '', `Here: ${found}.`];
    }
  }
  yield* failures(results);
}

function* machine(results) {
  const [limits] = results.of('limits');
  const [line] = results.of('product');
  yield `${line?.device ?? limits?.device ?? 'unknown device'}, driver ${line?.driver ?? 'unknown'}, commit ${line?.commit ?? 'unknown'}.`;
  if (limits === undefined) return;
  const read = Object.entries(limits.readGbps).map(([bytes, gbps]) => `${gbps.toFixed(0)} (${bytes / 2 ** 20} MiB)`);
  const gathered = Object.entries(limits.gatherGps.f64).map(([count, gps]) => `${gps.toFixed(0)} (${shortly(count)})`);
  yield `Read ${read.join(', ')} GB/s; copy ${Object.values(limits.copyGbps)[0].toFixed(0)} GB/s; gathers of f64 ${gathered.join(', ')} G/s.`;
}

/** 4194304 is 4 Mi. */
function shortly(count) {
  return count >= 2 ** 20 ? `${count / 2 ** 20} Mi` : `${count / 2 ** 10} Ki`;
}

/** A figure to beat is in brackets: cuSPARSE's CSR as it was measured before. The ratios are times as fast. */
const COMPARISON = [
  ...['matrix', 'ours: best', 'in', 'csr', 'cuSPARSE: best', 'in', 'CSR ALG1 preprocessed', 'aim'],
  ...['best over best', 'csr over CSR', 'aim over best'],
];

/** The matrices with values in full; those without figures to beat at the end, and in no mean. */
function* comparison(results, dtype) {
  const cases = results.matrices
    .filter(({ name }) => !name.endsWith('-own'))
    .map((matrix) => compare(results, matrix, dtype));
  const withFigures = cases.filter(({ figures }) => figures !== undefined);
  const mean = (key) => times(geometricMean(withFigures.map((one) => one[key]).filter(Boolean)));
  yield* ['', `## ${dtype}: µs, L2 cold, values in full`, ''];
  yield* table(COMPARISON, [
    ...cases.map(({ title, best, csr, peer, peerCsr, figures, overPeer, csrOverCsr, overAim }) => [
      ...[title, us(best), named(best), us(csr), us(peer), peer?.requested ?? '–'],
      ...[`${us(peerCsr)}${figures ? ` (${figures.csr})` : ''}`, String(figures?.aim ?? '–')],
      ...[times(overPeer), times(csrOverCsr), times(overAim)],
    ]),
    ['geometric mean', '', '', '', '', '', '', '', mean('overPeer'), mean('csrOverCsr'), mean('overAim')],
  ]);
}

function compare(results, matrix, dtype) {
  const best = results.best(matrix, dtype, ours());
  const csr = results.best(matrix, dtype, ours('csr'));
  const peer = results.best(matrix, dtype, cusparse());
  const peerCsr = results.best(matrix, dtype, cusparse(PREPROCESSED));
  const figures = matrix.scale === 1 ? matrix.figures?.[dtype] : undefined;
  const over = (us, line) => (us === undefined || line === undefined ? undefined : us / line.coldUs);
  return {
    ...{ title: matrix.title, best, csr, peer, peerCsr, figures },
    ...{
      overPeer: over(peer?.coldUs, best),
      csrOverCsr: over(peerCsr?.coldUs, csr),
      overAim: over(figures?.aim, best),
    },
  };
}

/** What codes for values are worth where there are few different ones. */
function* ownValues(results, dtype) {
  const isCoded = (line) => ours()(line) && line.format.includes('values=table');
  const rows = results.matrices
    .filter(({ name }) => name.endsWith('-own'))
    .map((matrix) => {
      const coded = results.best(matrix, dtype, isCoded);
      const full = results.best(matrix, dtype, (line) => ours()(line) && !isCoded(line));
      const peer = results.best(matrix, dtype, cusparse());
      const gain = (line) => (coded && line ? times(line.coldUs / coded.coldUs) : '–');
      return [matrix.title, us(coded), named(coded), us(full), named(full), us(peer), gain(full), gain(peer)];
    });
  if (rows.length === 0) return;
  yield* ['', `## ${dtype}: values as codes`, ''];
  yield* table(['matrix', 'codes', 'in', 'in full', 'in', 'cuSPARSE', 'over in full', 'over cuSPARSE'], rows);
}

/** Errors that are no refusals, and where time ran out. */
function* failures(results) {
  const failed = results.of('failed').filter(({ isRefusal }) => !isRefusal);
  const stopped = results.of('stopped');
  if (failed.length + stopped.length > 0) yield* ['', '## Not measured', ''];
  for (const { matrix, dtype, library, requested, error } of failed)
    yield `- ${matrix} ${dtype}, ${library} ${requested}: ${error}`;
  for (const { matrix, dtype, library, requested } of stopped)
    yield `- ${matrix}: time was over before ${dtype}, ${library} ${requested}`;
}

const us = (line) => line?.coldUs.toFixed(1) ?? '–';
const times = (ratio) => ratio?.toFixed(2) ?? '–';
const named = (line) => (line === undefined ? '–' : `${line.format} by ${line.method}`);

/** In Markdown. */
export function* table(header, rows) {
  yield `| ${header.join(' | ')} |`;
  yield `|${header.map(() => ' --- |').join('')}`;
  for (const row of rows) yield `| ${row.join(' | ')} |`;
}
