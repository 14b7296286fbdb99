/** The output of `sparlane tune --device cuda`: two tables and the fit for each dtype. */
import { SUPER_ROW_SIZE, SUPER_SUPER_ROW_SIZE } from '../core/groups.js';
import { fastestSizes, type GpuFit } from '../formats/csrk/gpu-fit.js';
import type { GpuLine } from '../formats/csrk/sizes.js';
import { formatFigure } from '../pictures/figures.js';
import { print, printLine } from './output.js';
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
  print(sizesTable(outcome));
  print('');
  print('loss against the fastest sizes of each matrix:');
  print(lossTable(outcome));
  for (const [head, text] of linesOf(outcome)) printLine(head, text);
}

function sizesTable({ matrices }: DeviceOutcome): string {
  const head = ['matrix', 'per row', 'fastest', 'µs', ...FITTED.map((proposer) => NAMES[proposer])];
  const rows = matrices.map((matrix) => {
    const fastest = fastestSizes(matrix);
    const fitted = matrix.trials.filter(({ proposer }) => FITTED.includes(proposer));
    return [
      nameOf(matrix.source),
      formatFigure(matrix.nnz / matrix.rows),
      sizesText(fastest),
      formatFigure(1000 * fastest.medianMs),
      ...fitted.map(sizesText),
    ];
  });
  return renderTable(head, rows, [...head.keys()].slice(1));
}

function lossTable({ matrices }: DeviceOutcome): string {
  const head = ['matrix', ...PROPOSERS.map((proposer) => NAMES[proposer])];
  const rows = matrices.map(({ source, trials }) => [nameOf(source), ...trials.map(({ loss }) => percent(loss))]);
  return renderTable(head, rows, [...head.keys()].slice(1));
}

function nameOf(source: string): string {
  return source.replace(/^gallery:/, '');
}

/** Heads and texts. */
function* linesOf({ dtype, fit, losses, byCase }: DeviceOutcome): Generator<readonly [string, string]> {
  yield [`${dtype}: `, 'super-rows per super-super-row (SSRS) × rows per super-row (SRS)'];
  yield* fitLines(fit);
  yield [
    '',
    byCase
      ? 'By case loses less on average.'
      : 'By case does not lose less on average: the regression alone is enough.',
  ];
  for (const proposer of PROPOSERS) yield [`${NAMES[proposer]} loses `, lossesText(losses[proposer])];
  yield ['', ''];
}

function* fitLines({
  superSuperRows,
  superRows,
  rms,
  cases,
  leftOutLoss,
}: GpuFit): Generator<readonly [string, string]> {
  const rmsText = (error: number) => `root mean square error ${formatFigure(error)}`;
  yield ['regression: ', `SSRS = ${formula(superSuperRows)}, ${rmsText(rms.superSuperRows)}`];
  yield ['             ', `SRS = ${formula(superRows)}, ${rmsText(rms.superRows)}`];
  const sizes = cases.map((own, place) => `case ${place + 1} ${own === undefined ? 'regression' : sizesText(own)}`);
  yield ['by case:    ', `${sizes.join('; ')}; mean loss on a matrix left out of the fit ${percent(leftOutLoss)}`];
}

function formula([constant, slope]: GpuLine): string {
  return `⌊${constant.toFixed(3)} ${slope < 0 ? '+' : '−'} ${Math.abs(slope).toFixed(3)} ln(entries per row)⌉`;
}

function lossesText({ medianLoss, meanLoss, worstLoss }: MeanLosses): string {
  return `${percent(medianLoss)} (mean ${percent(meanLoss)}, worst ${percent(worstLoss)})`;
}

function percent(fraction: number): string {
  return `${(100 * fraction).toFixed(1)} %`;
}
