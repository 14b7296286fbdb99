/** Triangular solves as `cuda/triangles.cu` computes them, in f64: units of a stage in any order, here backwards. */

import { placeOf, wordsOf } from '#dist/memory/header.js';
import { TRIANGLES_HEADER } from '#dist/preconditioners/triangular/headers.js';

interface Triangle {
  readonly ptr: Uint32Array;
  readonly idx: Uint32Array;
  readonly values: Float64Array;
}

/** y ← α M⁻¹ x + β y, by a copy of the arrays. */
export function solveOf(heap: ArrayBufferLike, header: number) {
  const words = new Uint32Array(heap, header, wordsOf(TRIANGLES_HEADER).length);
  const word = (name: keyof typeof TRIANGLES_HEADER) => words[placeOf(TRIANGLES_HEADER, name)]!;
  const integers = (name: Parameters<typeof word>[0], length: number) =>
    new Uint32Array(heap, word(name), length).slice();
  const numbers = (name: Parameters<typeof word>[0], length: number) =>
    new Float64Array(heap, word(name), length).slice();
  const rows = word('rows');
  const triangle = (name: 'lower' | 'upper'): Triangle => {
    const ptr = integers(`${name}Ptr`, rows + 1);
    return { ptr, idx: integers(`${name}Idx`, ptr[rows]!), values: numbers(name, ptr[rows]!) };
  };
  const [lower, upper, inverse] = [triangle('lower'), triangle('upper'), numbers('inverse', rows)];
  const order = word('order') === 0 ? undefined : integers('order', rows);
  const stages = word('stages');
  const stagePtr = integers('stagePtr', stages + 1);
  const unitPtr = integers('unitPtr', stagePtr[stages]! + 1);
  return (x: Float64Array, y: Float64Array, alpha: number, beta: number) => {
    const w = new Float64Array(rows).fill(Number.NaN);
    const element = (row: number) => (order === undefined ? row : order[row]!);
    for (let stage = 0; stage < stages; stage++)
      for (let unit = stagePtr[stage + 1]!; unit > stagePtr[stage]!; unit--)
        for (let row = unitPtr[unit - 1]!; row < unitPtr[unit]!; row++)
          w[row] = x[element(row)]! - times(lower, row, w);
    for (let stage = stages; stage > 0; stage--)
      for (let unit = stagePtr[stage - 1]!; unit < stagePtr[stage]!; unit++)
        for (let row = unitPtr[unit + 1]!; row > unitPtr[unit]!; row--) {
          w[row - 1] = w[row - 1]! * inverse[row - 1]! - times(upper, row - 1, w);
          const at = element(row - 1);
          y[at] = beta === 0 ? alpha * w[row - 1]! : alpha * w[row - 1]! + beta * y[at]!;
        }
  };
}

function times({ ptr, idx, values }: Triangle, row: number, w: Float64Array): number {
  let sum = 0;
  for (let k = ptr[row]!; k < ptr[row + 1]!; k++) sum += values[k]! * w[idx[k]!]!;
  return sum;
}
