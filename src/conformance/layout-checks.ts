/** Checks of a matrix stored in the heap, before any product. */

import type { CsrMatrix } from '../core/csr.js';
import { parseSpec } from '../core/parameters.js';
import { rounded, vectorArray } from '../core/types.js';
import { layoutName, type StoredMatrix, toCsr } from '../formats/format.js';
import { formatByName } from '../formats/registry.js';
import { ALIGNMENT } from '../memory/heap.js';
import type { Findings } from './findings.js';

export function checkLayout(findings: Findings, stored: StoredMatrix, matrix: CsrMatrix): void {
  const { rows, cols, nnz } = matrix;
  const sizes = `${stored.rows} × ${stored.cols} with ${stored.nnz} entries`;
  findings.expect(stored.rows === rows && stored.cols === cols && stored.nnz === nnz, 'sizes', () => sizes);
  findings.expect(stored.storedEntries >= nnz, 'stored entries', () => `${stored.storedEntries} of ${nnz}`);
  const { mayPad = false } = formatByName(parseSpec('format', stored.spec).name);
  const said = mayPad || !stored.multipliesPadding;
  findings.expect(
    said,
    'padding',
    () => `${stored.spec} multiplies padding, but its format declares that it never does`,
  );
  for (const { header } of stored.stages.spmv) {
    findings.expect(header > 0 && header % ALIGNMENT === 0, 'header on a cache line', () => `${header}`);
  }
  checkRoundTrip(findings, stored, matrix);
  checkWork(findings, stored);
  checkCost(findings, stored);
}

function checkRoundTrip(findings: Findings, stored: StoredMatrix, matrix: CsrMatrix): void {
  const values = rounded(matrix.values, stored.dtype);
  const back = toCsr(stored);
  const firstWrong = matrix.colIdx.findIndex(
    (column, k) => back.colIdx[k] !== column || !Object.is(back.values[k], values[k]!),
  );
  const sameRows = matrix.rowPtr.every((begin, row) => back.rowPtr[row] === begin);
  findings.expect(sameRows && back.nnz === matrix.nnz, 'round trip: rows', () => `${back.nnz} entries come back`);
  findings.expect(firstWrong < 0, 'round trip: entries', () => {
    const [k, column, value] = [firstWrong, back.colIdx[firstWrong], back.values[firstWrong]];
    return `entry ${k} is ${value} in column ${column}, not ${matrix.values[k]} in column ${matrix.colIdx[k]}`;
  });
}

function checkWork(findings: Findings, { stages, nnz }: StoredMatrix): void {
  let work = 0;
  for (const stage of stages.spmv) {
    const { units } = stage;
    let ascends = stage.workBefore(0) === 0;
    for (let unit = 0; unit < units; unit++) ascends &&= stage.workBefore(unit) <= stage.workBefore(unit + 1);
    findings.expect(ascends, 'work ascends from 0', () => `over ${units} units of ${layoutName(stage.kernel)}`);
    work += stage.workBefore(units);
  }
  findings.expect(work > 0 || nnz === 0, 'entries are work', () => `${work} for ${nnz} entries`);
}

function checkCost(findings: Findings, stored: StoredMatrix): void {
  const { bytes, flops } = stored.cost();
  const vectorBytes = vectorArray(stored.dtype).BYTES_PER_ELEMENT * (stored.rows + stored.cols);
  findings.expect(flops === 2 * stored.nnz, 'flops', () => `${flops} for ${stored.nnz} entries`);
  const plausible = bytes >= vectorBytes && bytes <= vectorBytes + stored.bytes;
  findings.expect(plausible, 'bytes moved', () => `${bytes}; vectors ${vectorBytes}, matrix ${stored.bytes}`);
}
