/** Deviations of the figures of a generated matrix from its targets. */

const FIGURES = {
  rows: ({ rows }) => rows,
  cols: ({ cols }) => cols,
  nnz: ({ nnz }) => nnz,
  mean: ({ rowLengths }) => rowLengths.mean,
  max: ({ rowLengths }) => rowLengths.max,
  variance: ({ rowLengths }) => rowLengths.variance,
  symmetric: ({ patternSymmetry }) => patternSymmetry,
  regular: ({ regular }) => regular,
};

/** A smaller variance counts as none. */
const MIN_VARIANCE = 0.01;

/**
 * @param statistics of the matrix that `entry.make(scale)` made
 * @returns for each figure that the matrix has `{ figure, got, aim, deviation, isPublished }`. The deviation is
 *   relative; for the symmetry it is absolute, for the regularity 0 or 1. Undefined without an aim
 */
export function deviations(entry, statistics, scale = 1) {
  const aims = entry.aims(scale);
  const { rows, nnz } = entry.published;
  const published = { mean: rows && nnz && nnz / rows, ...entry.published };
  return Object.entries(FIGURES).flatMap(([figure, read]) => {
    const got = read(statistics);
    if (got === undefined) return [];
    const aim = aims[figure];
    const isPublished = published[figure] !== undefined;
    const deviation = aim === undefined ? undefined : deviationOf(figure, got, aim);
    return [{ figure, got, aim, deviation, isPublished }];
  });
}

function deviationOf(figure, got, aim) {
  if (figure === 'regular') return got === aim ? 0 : 1;
  if (figure === 'symmetric') return Math.abs(got - aim);
  return Math.abs(got - aim) / (figure === 'variance' ? Math.max(MIN_VARIANCE, aim) : aim || 1);
}
