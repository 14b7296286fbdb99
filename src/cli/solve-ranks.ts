/** `sparlane solve --ranks`: solves A x = b on ranks. Every rank runs this command; rank 0 speaks. */
import { mismatch, SparlaneError } from '../core/errors.js';
import { parseGalleryUrl } from '../gallery/registry.js';
import { formatCount, formatFigure } from '../pictures/figures.js';
import type { Communicator } from '../ranks/communicator.js';
import type { ComplexRankRows } from '../ranks/complex-rows.js';
import type { RankRows } from '../ranks/distribute.js';
import { galleryRows } from '../ranks/gallery-rows.js';
import { joinRanks } from '../ranks/join.node.js';
import { loadTogether } from '../ranks/load-together.js';
import { orderRows, type RowsOrder } from '../ranks/order-rows.js';
import { mayBeComplex, readAnyRows } from '../ranks/read-rows.node.js';
import { readPart, savePart } from '../ranks/save-shares.node.js';
import { type RowsSolution, solveRows } from '../ranks/solve-rows.js';
import { saveVector } from './load.js';
import { complain, print, printJson, printLine } from './output.js';
import { loadRightHandSide, NOT_CONVERGED, type SolveInput } from './solve-input.js';

export interface RanksOptions extends SolveInput {
  /** True: those of mpirun. */
  readonly ranks: number | true;
  readonly order: RowsOrder;
}

/** @throws SparlaneError on rank 0, and on any rank whose error the others do not share */
export async function solveOnRanks(source: string, options: RanksOptions): Promise<void> {
  const { ranks, threads, device, plot } = options;
  if (plot !== undefined) throw mismatch('argument', '--plot', 'no plot with --ranks', plot);
  // What is wrong with the file is told when ranks read it together.
  const complex = !source.startsWith('gallery:') && (await mayBeComplex(source).catch(() => false));
  const comm = await joinRanks({
    complex,
    ...(ranks !== true && { ranks }),
    ...(threads !== undefined && { threads }),
    ...(device !== 'hybrid' && { device }),
    onHint: ({ message }) => complain(message),
  });
  try {
    await solve(comm, source, options);
  } catch (error) {
    // Every rank has the same error; one of them says it.
    if (comm.rank === 0 || !(error instanceof SparlaneError && error.detail.rank !== undefined)) throw error;
  }
}

async function solve(comm: Communicator, source: string, options: RanksOptions): Promise<void> {
  const part = await loadTogether(comm, () => loadRows(comm, source));
  const { firstRow, rows, cols } = part;
  const isComplex = part.field === 'complex';
  const { rhs, output } = options;
  const range = [firstRow, firstRow + rows] as const;
  const b =
    rhs === undefined || isComplex
      ? await loadTogether(comm, () => loadRightHandSide(source, rhs, { rows: cols, isComplex }, range))
      : await readPart(comm, rhs, rows);
  const { method, preconditioner, format, rtol, maxIterations } = options;
  const ordered = part.field === 'complex' ? undefined : orderRows(comm, part, { order: options.order });
  const solution = solveRows(comm, ordered?.rows ?? part, ordered?.permute(b) ?? b, {
    ...{ method, preconditioner, format, rtol },
    ...(maxIterations !== undefined && { maxIterations }),
  });
  const x = solution.x.toArray() as Float64Array;
  if (output !== undefined) await saveSolution(comm, output, source, ordered?.restore(x) ?? x, isComplex);
  if (comm.rank !== 0) return;
  const report = { ...reportOf(comm, source, solution, isComplex), ...(ordered && { order: 'kway' }) };
  if (options.json) printJson(report);
  else printReport(report);
  if (!solution.converged) process.exitCode = NOT_CONVERGED;
}

/** Writes x. Each rank writes its own numbers to an `.npy`, if they are real; otherwise rank 0 writes all. */
async function saveSolution(
  comm: Communicator,
  path: string,
  source: string,
  part: Float64Array,
  isComplex: boolean,
): Promise<void> {
  if (/\.npy$/i.test(path) && !isComplex) return savePart(comm, path, part);
  const x = comm.allgather(part);
  await loadTogether(comm, async () => {
    if (comm.rank === 0) await saveVector(path, x, `x of A x = b, A = ${source}`, isComplex);
  });
}

async function loadRows(comm: Communicator, source: string): Promise<RankRows | ComplexRankRows> {
  if (!source.startsWith('gallery:')) return readAnyRows(comm, source);
  const { name, given } = parseGalleryUrl(source);
  return galleryRows(comm, name, given);
}

function reportOf(comm: Communicator, source: string, solution: RowsSolution, isComplex: boolean) {
  const { converged, reason, iterations, products, relativeResidual, setupMs, solveMs } = solution;
  const { method, preconditioner, reasons, distribution } = solution;
  const { own } = distribution;
  // The distribution of a complex matrix is that of its real equivalent.
  const [rows, cols, nnz, halo] = isComplex
    ? [distribution.rows / 2, distribution.cols / 2, distribution.nnz / 4, distribution.halo.total / 2]
    : [distribution.rows, distribution.cols, distribution.nnz, distribution.halo.total];
  return {
    ...{
      matrix: source,
      rows,
      cols,
      nnz,
      ...(isComplex && { field: 'complex' }),
      method,
      preconditioner,
      format: own.format,
    },
    ...{ converged, reason, iterations, products, relativeResidual },
    ...{ setupMs, solveMs, totalMs: setupMs + solveMs },
    ...{ ranks: comm.size, transport: comm.transport, threads: comm.engine.threads, halo },
    reasons,
  };
}

type Report = ReturnType<typeof reportOf> & { readonly order?: string };

function printReport(report: Report): void {
  const { matrix, rows, nnz, field, method, preconditioner, format, ranks, transport, threads, halo } = report;
  const { converged, reason, iterations, relativeResidual, setupMs, solveMs, reasons, order } = report;
  const named = preconditioner === 'none' ? method : `${method} with ${preconditioner}`;
  print(matrix);
  print(
    `  matrix     ${formatCount(rows)} unknowns, ${formatCount(nnz)} ${field === undefined ? '' : `${field} `}entries`,
  );
  print(
    `  ranks      ${ranks} (${transport}), ${threads} thread${threads === 1 ? '' : 's'} each, halo ${formatCount(halo)}${order === undefined ? '' : `, in the order ${order}`}`,
  );
  print(`  method     ${named}, ${format}`);
  for (const text of reasons) printLine('             ', text);
  print(`  setup      ${formatFigure(setupMs)} ms`);
  print(`  solve      ${formatFigure(solveMs)} ms, ${formatCount(iterations)} iterations`);
  print(`  residual   ${relativeResidual.toExponential(2)} of ‖b‖${converged ? '' : `: not converged (${reason})`}`);
}
