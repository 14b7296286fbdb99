/** What `sparlane tune --device cuda` prints: a table and the fit for each dtype. */
import { SUPER_ROW_SIZE, SUPER_SUPER_ROW_SIZE } from '../core/groups.js';
import { fastestSizes, type GpuFit } from '../formats/csrk-gpu-fit.js';
import type { GpuLine } from '../formats/csrk-sizes.js';
import { formatFigure, print } from './output.js';
import { renderTable } from './table.js';
import { type DeviceOutcome, type MeanLosses, PROPOSERS, type Proposer, sizesText } from './tune-sizes.js';

const NAMES: Readonly<Record<Proposer, string>> = {
  regression: 'regression',
  byCase: 'by case',
  volta: 'Volta',
  ampere: 'Ampere',
  hopper: 'Hopper',
  builtIn: `${SUPER_SUPER_ROW_SIZE} × ${SUPER_ROW_SIZE}`,
};

const FITTED: readonly Proposer[] = ['regression', 'byCase'];

export function printSizes(outcome: DeviceOutcome): void {
  const head = ['matrix', 'entries a row', 'fastest', 'µs', ...FITTED.map((proposer) => NAMES[proposer])];
  const losing = PROPOSERS.map((proposer) => `${NAMES[proposer]} loses`);
  const rows = outcome.matrices.map((matrix) => {
    const fastest = fastestSizes(matrix);
    const fitted = matrix.trials.filter(({ proposer }) => FITTED.includes(proposer));
    return [
      matrix.source.replace(/^gallery:/, ''),
      formatFigure(matrix.nnz / matrix.rows),
      sizesText(fastest),
      formatFigure(1000 * fastest.medianMs),
      ...fitted.map(sizesText),
      ...matrix.trials.map(({ loss }) => percent(loss)),
    ];
  });
  const columns = [...head, ...losing];
  print(renderTable(columns, rows, columns.map((_, place) => place).slice(1)));
  for (const line of linesOf(outcome)) print(line);
}

function* linesOf({ dtype, fit, losses, byCase }: DeviceOutcome): Generator<string> {
  yield `${dtype}: super-rows per super-super-row (SSRS) × rows per super-row (SRS)`;
  yield* fitLines(fit);
  yield byCase
    ? 'By case loses less on average.'
    : 'By case does not lose less on average: the regression alone is enough.';
  for (const proposer of PROPOSERS) yield `${NAMES[proposer]} loses ${lossesText(losses[proposer])}`;
  yield '';
}

function* fitLines({ superSuperRows, superRows, rms, cases, leftOutLoss }: GpuFit): Generator<string> {
  yield `regression: SSRS = ${formula(superSuperRows)}, off by ${formatFigure(rms.superSuperRows)} (root mean square)`;
  yield `            SRS = ${formula(superRows)}, off by ${formatFigure(rms.superRows)}`;
  const sizes = cases.map((own, place) => `case ${place + 1} ${own === undefined ? 'regression' : sizesText(own)}`);
  yield `by case:    ${sizes.join('; ')}; on a matrix left out they lose ${percent(leftOutLoss)} on average`;
}

function formula([constant, slope]: GpuLine): string {
  return `⌊${constant.toFixed(3)} ${slope < 0 ? '+' : '−'} ${Math.abs(slope).toFixed(3)} ln(entries a row)⌉`;
}

function lossesText({ medianLoss, meanLoss, worstLoss }: MeanLosses): string {
  return `${percent(medianLoss)} (mean ${percent(meanLoss)}, worst ${percent(worstLoss)})`;
}

function percent(fraction: number): string {
  return `${(100 * fraction).toFixed(1)} %`;
}
