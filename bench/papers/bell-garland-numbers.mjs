/** Bell & Garland's claims that are single numbers: f64 over f32, the fastest products, and the GPU against cores. */
import { CACHED, named, speed, UNCACHED } from './bell-garland-charts.mjs';
import { BELL_GARLAND as PAPER } from './published.mjs';
import { FAILS, HOLDS, known, meanOf, medianOf, PARTLY, percent, ratio, short, times } from './words.mjs';

/** How near a share of the paper is. */
function asNear(paper, here) {
  if (here === undefined) return undefined;
  const apart = Math.abs(Math.log(here / paper));
  return apart < 0.2 ? HOLDS : apart < 0.4 ? PARTLY : FAILS;
}

/** f64 over f32. */
export function doublesOfGrids(cases) {
  const grid27 = named(cases, 'Laplace 27pt');
  const row = (kernel, share, here) => ({
    ...{
      claim: `f64 keeps ${percent(share)} of the speed of f32, ${kernel}`,
      method: `${kernel}, grids`,
      figure: percent(share),
    },
    ...{
      here: percent(here),
      verdict: asNear(share, here),
    },
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
  const absolute = (claim, method, paper, here) => ({
    claim,
    method,
    figure: `${paper} GFLOP/s`,
    here: `${short(here)} GFLOP/s, ${times(ratio(here, paper))}`,
    verdict: undefined,
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
      ...{
        claim: `f64 keeps ${percent(share)} of the speed of f32, ${kernel} (median)`,
        method: kernel,
        figure: percent(share),
        here: percent(median(kernel)),
      },
      verdict: asNear(share, median(kernel)),
    })),
  ];
}

/** Figures 36 and 37: the better of CSR (vector) and HYB over the best of our formats on the cores of the same machine. */
export function coresClaims(cases, results) {
  const machine = results.of('machine').find(({ cores }) => cores);
  const products = results
    .of('product')
    .filter(({ contender, dtype }) => contender?.startsWith('sparlane ') && dtype === 'f64');
  const ratios = known(
    cases.map((one) => {
      const ms = Math.min(
        ...products
          .filter(({ matrix, suite }) => matrix === one.matrix && suite === one.suite)
          .map(({ medianMs }) => medianMs),
      );
      const gpu = Math.max(...known(['csr-vector', 'hyb'].map((kernel) => speed(one, 'f64', kernel))));
      return Number.isFinite(ms) && Number.isFinite(gpu) ? gpu / ((2 * one.nnz) / ms / 1e6) : undefined;
    }),
  );
  if (ratios.length === 0 || machine === undefined) return [];
  return [
    {
      claim: 'f64: the GPU against the cores of one socket (median)',
      method: `the better of csr-vector and hyb; ours on ${machine.cores} cores (${machine.cpu})`,
      figure: Object.entries(PAPER.overCores)
        .map(([name, over]) => `${name} ${over}`)
        .join(', '),
      here: times(medianOf(ratios)),
      verdict: medianOf(ratios) > 2.4 ? HOLDS : PARTLY,
    },
  ];
}
