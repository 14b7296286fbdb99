/** Bell & Garland's claims that are single numbers: f64 over f32, the fastest products, and the GPU against cores. */
import { CACHED, named, speed, UNCACHED } from './bell-garland-charts.mjs';
import { bars } from './charts.mjs';
import { MACHINES, BELL_GARLAND as PAPER } from './published.mjs';
import { below, FAILS, HOLDS, known, meanOf, medianOf, PARTLY, percent, ratio, short, times } from './words.mjs';

/** Judges how near a share is to that of the paper. */
function asNear(paper, here) {
  return here === undefined ? undefined : below(Math.abs(Math.log(here / paper)), 0.2, 0.4);
}

/** The claims about f64 over f32 on grids. */
export function doublesOfGrids(cases) {
  const grid27 = named(cases, 'Laplace 27pt');
  const row = (kernel, share, here) => ({
    claim: `f64 keeps ${percent(share)} of the speed of f32, ${kernel}`,
    method: `${kernel}, grids`,
    figure: percent(share),
    here: percent(here),
    verdict: asNear(share, here),
  });
  const of = (one, kernel, cache) => one && ratio(speed(one, 'f64', kernel, cache), speed(one, 'f32', kernel, cache));
  return [
    row('dia', PAPER.doubles.dia, of(grid27, 'dia', UNCACHED)),
    row('ell', PAPER.doubles.ell, of(grid27, 'ell', UNCACHED)),
    row('csr-scalar', PAPER.doubles['csr-scalar'], meanOf(cases.map((one) => of(one, 'csr-scalar', CACHED)))),
  ];
}

export function textClaims(cases, dense) {
  const at = (name, kernel, dtype) => {
    const one = named(cases, name);
    return one && speed(one, dtype, kernel);
  };
  const median = (kernel) => medianOf(cases.map((one) => ratio(speed(one, 'f64', kernel), speed(one, 'f32', kernel))));
  /** The row of a speed, which has no verdict. A chart shows `paper` and `gflops` as bars. */
  const absolute = (claim, method, paper, gflops) => ({
    ...{ claim, method, figure: `${paper} GFLOP/s`, paper, gflops, verdict: undefined },
    here: `${short(gflops)} GFLOP/s, ${times(ratio(gflops, paper))}`,
  });
  return [
    absolute('f32: the fastest of all, HYB on FEM/Spheres', 'hyb', PAPER.hybSpheres, at('FEM/Spheres', 'hyb', 'f32')),
    absolute('f32: HYB on dense 30 K × 128', 'hyb', PAPER.hyb30k, dense && speed(dense, 'f32', 'hyb')),
    ...Object.entries(PAPER.vectorShortRows).map(([name, gflops]) =>
      absolute(
        `f32: CSR (vector) on ${name}, of few entries a row`,
        'csr-vector',
        gflops,
        at(name, 'csr-vector', 'f32'),
      ),
    ),
    ...Object.entries(PAPER.f64).map(([what, gflops]) => {
      const [kernel, ...name] = what.split(' ');
      return absolute(`f64: ${kernel} on ${name.join(' ')}`, kernel, gflops, at(name.join(' '), kernel, 'f64'));
    }),
    ...Object.entries(PAPER.doubleMedians).map(([kernel, share]) => ({
      claim: `f64 keeps ${percent(share)} of the speed of f32, ${kernel} (median)`,
      method: kernel,
      figure: percent(share),
      here: percent(median(kernel)),
      verdict: asNear(share, median(kernel)),
    })),
  ];
}

/** Draws the GFLOP/s that the text names as bars: the paper's beside ours. */
export function numbersChart(claims) {
  const rows = claims
    .filter(({ paper }) => paper !== undefined)
    .flatMap(({ claim, method, paper, gflops }) => {
      const [, dtype, matrix] = /^(f\d\d).* on ([^,]+)/.exec(claim);
      const group = `${dtype} ${method}, ${matrix}`;
      return [
        { group, series: 'GTX 280', value: paper },
        { group, series: 'here', value: gflops },
      ];
    });
  const title = `GFLOP/s that the text names: ${MACHINES['bell-garland']} and here`;
  const svg = bars({ label: title, rows, series: ['GTX 280', 'here'], unit: 'GFLOP/s, logarithmic', log: true });
  return svg && { name: 'bell-garland-numbers', title, svg };
}

/** The claim of figures 36 and 37: the better of CSR (vector) and HYB over the best of our formats on the CPU with the most cores. */
export function coresClaims(cases, results) {
  const runs = results.onCores('bell-garland-4').sort((a, b) => b.machine.cores - a.machine.cores);
  const [{ machine, matrices, products } = {}] = runs;
  const ratios = known(
    cases.map((one) => {
      // A smaller matrix would be faster in caches.
      const isWhole = matrices?.some(({ matrix, nnz }) => matrix === one.matrix && nnz === one.nnz);
      const ours = (products ?? []).filter(
        ({ matrix, contender }) => matrix === one.matrix && contender.startsWith('sparlane '),
      );
      const cores = Math.max(...ours.map(({ medianMs }) => (2 * one.nnz) / medianMs / 1e6));
      const gpu = Math.max(...known(['csr-vector', 'hyb'].map((kernel) => speed(one, 'f64', kernel))));
      return isWhole && Number.isFinite(cores) && Number.isFinite(gpu) ? gpu / cores : undefined;
    }),
  );
  if (ratios.length === 0) return [];
  const over = medianOf(ratios);
  return [
    {
      claim: 'f64: the GPU over the cores of one socket (Figs 36, 37; median)',
      method: `the better of csr-vector and hyb; the fastest of ours on ${machine.cores} cores of ${machine.cpu}`,
      figure: Object.entries(PAPER.overCores)
        .map(([name, times]) => `${name} ${times} ×`)
        .join(', '),
      here: `${times(over)}, ${ratios.length} matrices`,
      verdict: over >= Math.min(...Object.values(PAPER.overCores)) ? HOLDS : over > 1 ? PARTLY : FAILS,
    },
  ];
}
