/** Linear programs, of no paper: A and its transpose, ours over the fastest of cuSPARSE. */
import { contendersOf, requestsOf } from '../cuda/papers/plans.mjs';
import { bars } from './charts.mjs';
import { geometricMeanOf, ratio, short, times } from './words.mjs';

const productsOf = (wanted) =>
  contendersOf('lp')
    .filter(({ library }) => library === wanted)
    .flatMap(requestsOf);
const [OURS, THEIRS] = ['sparlane', 'cuSPARSE'].map(productsOf);
const DTYPES = ['f64', 'f32'];

export function chapter(results) {
  const cases = results.cases('lp').sort((a, b) => a.matrix.localeCompare(b.matrix));
  if (cases.length === 0) return undefined;
  const over = (one, dtype, product) => ratio(one.us(dtype, 'cuSPARSE', THEIRS), one.us(dtype, 'sparlane', product));
  const mean = (dtype, product) => geometricMeanOf(cases.map((one) => over(one, dtype, product)));
  const rows = cases.flatMap((one) =>
    DTYPES.flatMap((dtype) => [
      { group: one.matrix, series: `auto, ${dtype}`, value: over(one, dtype, 'auto') },
      { group: one.matrix, series: `best of ours, ${dtype}`, value: over(one, dtype, OURS) },
    ]),
  );
  const series = DTYPES.flatMap((dtype) => [`auto, ${dtype}`, `best of ours, ${dtype}`]);
  const title = 'Linear programs: times as fast as the fastest of cuSPARSE';
  return {
    title: 'Linear programs, A and its transpose',
    matrices: `${cases.length} of the suite lp, 4 of them stand-ins`,
    claims: DTYPES.map((dtype) => ({
      claim: `${dtype}: over the fastest of cuSPARSE`,
      method: 'auto; the fastest of ours',
      figure: '–',
      here: `${times(mean(dtype, 'auto'))}; ${times(mean(dtype, OURS))} (geometric means)`,
      verdict: undefined,
    })),
    tables: [
      {
        title: 'Linear programs: µs, L2 cold',
        header: [
          'matrix',
          'rows',
          'columns',
          'entries',
          ...DTYPES.flatMap((dtype) => [`${dtype}: auto`, 'best of ours', 'best of cuSPARSE']),
        ],
        rows: cases.map((one) => [
          ...[one.matrix, one.rows, one.cols, one.nnz].map((cell) => cell.toLocaleString('en-US')),
          ...DTYPES.flatMap((dtype) =>
            [one.us(dtype, 'sparlane', 'auto'), one.us(dtype, 'sparlane', OURS), one.us(dtype, 'cuSPARSE', THEIRS)].map(
              short,
            ),
          ),
        ]),
      },
    ],
    charts: [{ name: 'programs', title, svg: bars({ label: title, rows, series, unit: 'times as fast', ruler: 1 }) }],
  };
}
