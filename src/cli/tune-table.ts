/** The output of `sparlane tune`: a table and the fit for each dtype. */
import { SUPER_ROW_SIZE } from '../core/groups.js';
import type { CostTuning, Tuning } from '../core/tuning.js';
import { bestSize, type Losses, lossAt } from '../formats/csrk/fit.js';
import { usedSize } from '../formats/csrk/sizes.js';
import { formatFigure } from '../pictures/figures.js';
import { printHugePagesAdvice } from './huge-pages.js';
import { print } from './output.js';
import { renderTable } from './table.js';
import type { SuiteOutcome } from './tune-suite.js';

const HEAD = ['matrix', 'per row', 'best size', 'fitted', 'best ms', 'fitted loss', `${SUPER_ROW_SIZE} loss`];

export function printOutcome({ dtype, curves, fit, builtIn, isBetter }: SuiteOutcome, threads: number): void {
  const rows = curves.map((curve) => {
    const fitted = usedSize(fit, curve, threads);
    return [
      curve.source.replace(/^gallery:/, ''),
      formatFigure(curve.nnz / curve.rows),
      bestSize(curve).toFixed(0),
      `${fitted}`,
      formatFigure(Math.min(...curve.medianMs)),
      percent(lossAt(fitted, curve)),
      percent(lossAt(SUPER_ROW_SIZE, curve)),
    ];
  });
  print(renderTable(HEAD, rows, [1, 2, 3, 4, 5, 6]));
  const { constant, slope, rmsLog2 } = fit;
  const line = `${constant.toFixed(2)} ${slope < 0 ? '−' : '+'} ${Math.abs(slope).toFixed(2)} ln(entries per row)`;
  print(`${dtype}: log₂(rows per super-row) = ${line}, root mean square error ${rmsLog2.toFixed(2)}`);
  print(`     loss against the fastest size of each matrix: ${losses(fit)}`);
  print(`     loss with ${SUPER_ROW_SIZE} rows: ${losses(builtIn)}`);
  if (!isBetter) print(`     ${SUPER_ROW_SIZE} rows are as good and are kept`);
  print('');
}

export function printStored({ machine, costs }: Tuning, file: string | undefined): void {
  if (costs !== undefined) printCosts(costs, machine.threads);
  printHugePagesAdvice('pages: ');
  print(`${machine.cpu}, ${machine.threads} threads, ${machine.binary} kernels`);
  print(file === undefined ? 'nothing stored (--dry-run)' : `stored in ${file}`);
}

const COSTS_HEAD = ['one thread reads', 'up to', 'reads GB/s', 'gathers ns'];

function printCosts(costs: CostTuning, threads: number): void {
  const { byteNs, missNs, cacheBytes, entryNs, startNs, forkJoinNs, busSpeedup } = costs;
  const rows = ['L2', 'L3', 'memory'].map((name, k) => [
    name,
    cacheBytes[k] === undefined ? '' : `${formatFigure(cacheBytes[k] / 2 ** 20)} MiB`,
    formatFigure(1 / byteNs[k]!),
    formatFigure(missNs[k]!),
  ]);
  print(renderTable(COSTS_HEAD, rows, [1, 2, 3]));
  if (busSpeedup !== undefined) print(`${threads} threads read memory ${busSpeedup.toFixed(2)} × as fast as one`);
  else if (threads > 1) print(`${threads} threads did not get a core each: nothing is known of them`);
  const join = forkJoinNs === undefined ? '' : `, on ${threads} threads ${formatFigure(forkJoinNs)} ns more`;
  print(`an entry takes ${formatFigure(entryNs)} ns, the smallest product ${formatFigure(startNs)} ns${join}`);
}

function losses({ medianLoss, worstLoss }: Losses): string {
  return `median ${percent(medianLoss)}, worst ${percent(worstLoss)}`;
}

function percent(fraction: number): string {
  return `${(100 * fraction).toFixed(1)} %`;
}
