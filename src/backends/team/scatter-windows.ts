/** The columns that parts of a product by scattering reach. */
import { workOf } from '../../core/span.js';
import { type FloatArray, vectorArray } from '../../core/types.js';
import { partition, partsOfProduct } from '../../execution/partition.js';
import type { Stage, StoredMatrix } from '../../formats/format.js';
import { allColumns, COLUMN_CHUNK, type ColumnWindow } from '../../formats/layout/column-windows.js';
import { payOff, SCATTER_HEADER, scatterParts } from '../../formats/layout/scatter.js';
import { kernelName, OPERANDS_BYTES } from '../../kernels/abi.js';
import { kernelIndex } from '../../kernels/module.js';
import { OperandBlock } from '../../kernels/operands.js';
import { placeHeader } from '../../memory/header.js';
import type { TeamContext } from './backend.js';
import { withRoom } from './warm-up.js';

/** Most columns that are looked at, of all parts together, per entry. The search takes as long as some ten products: 5-point 1000² 24 ms. */
const LOOKS_PER_ENTRY = 4;

/**
 * A window for each part. With few columns every part gets all of them. Otherwise the parts get those that they reach, if these are few
 * too, as in a band; if not, there are fewer parts.
 *
 * @param given the number of parts, if the caller wants it
 */
export function scatterWindows(
  context: TeamContext,
  stages: readonly Stage[],
  matrix: StoredMatrix,
  given: number | undefined,
): readonly ColumnWindow[] {
  const { cols, nnz } = matrix;
  if (given !== undefined) return allColumns(cols, given);
  const work = workOf(stages);
  const wanted = partsOfProduct(work, context.team.size);
  const paying = Math.min(wanted, scatterParts(matrix));
  const most = Math.min(wanted, Math.floor((LOOKS_PER_ENTRY * nnz) / Math.max(cols, 1)));
  const search = { windows: [] as readonly ColumnWindow[] };
  const isDone =
    most > paying &&
    withRoom(() => {
      search.windows = reached(context, stages, matrix, most);
    });
  return isDone && payOff(search.windows, nnz) ? search.windows : allColumns(cols, paying);
}

/** As the kernels themselves reach them: with NaN as x, every element that they add to becomes NaN. */
function reached(
  { heap, kernels, own }: TeamContext,
  stages: readonly Stage[],
  { rows, cols, dtype }: StoredMatrix,
  parts: number,
): readonly ColumnWindow[] {
  using scope = heap.scope();
  const type = vectorArray(dtype);
  const x = scope.array<FloatArray>(type, rows).fill(Number.NaN);
  const y = scope.array<FloatArray>(type, cols).fill(0);
  const operands = new OperandBlock(heap.memory, scope.alloc(OPERANDS_BYTES));
  operands.write(x.byteOffset, y.byteOffset, 1, 1);
  const added = stages.map((stage) => ({
    bounds: partition(stage, parts),
    header: placeHeader(scope, SCATTER_HEADER, { matrix: stage.header, bounds: 0, windows: 0, isFirst: 0 }),
    kernel: own[kernelIndex(kernels, kernelName(stage.kernel, dtype))]!,
  }));
  return Array.from({ length: parts }, (_, part) => {
    for (const { bounds, header, kernel } of added) kernel(header, operands.address, bounds[part]!, bounds[part + 1]!);
    let first = 0;
    while (first < cols && !Number.isNaN(y[first])) first++;
    let end = cols;
    while (end > first && !Number.isNaN(y[end - 1])) end--;
    y.fill(0, first, end);
    return inChunks(first, end, cols);
  });
}

function inChunks(first: number, end: number, cols: number): ColumnWindow {
  if (first === end) return { first: 0, end: 0 };
  return {
    first: Math.floor(first / COLUMN_CHUNK) * COLUMN_CHUNK,
    end: Math.min(Math.ceil(end / COLUMN_CHUNK) * COLUMN_CHUNK, cols),
  };
}
