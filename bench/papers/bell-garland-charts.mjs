/** Bell & Garland's figures 3 and 27 to 35 in their own layout, and the kernels that they show. */
import { bars, panels } from './charts.mjs';
import { BYTES_PER_FLOP } from './published.mjs';

export const DTYPES = ['f32', 'f64'];
export const STRUCTURED = ['dia', 'ell', 'csr-scalar', 'csr-vector', 'coo', 'pkt'];
export const UNSTRUCTURED = ['coo', 'csr-scalar', 'csr-vector', 'hyb', 'pkt'];
export const CACHED = 'texture';
export const UNCACHED = 'bypass';

export const named = (cases, name) => cases.find(({ matrix }) => matrix === name);

/** Returns the GFLOP/s of a kernel. PKT is ours, which uses no cache of x. */
export function speed(one, dtype, kernel, cache = CACHED) {
  // Without entries outside the packets there is no COO to be segmented.
  if (kernel === 'pkt')
    return one.gflops(dtype, 'sparlane', 'pkt segmented') ?? one.gflops(dtype, 'sparlane', 'pkt packets');
  return one.gflops(dtype, 'paper', `${kernel} ${cache}`);
}

export function strides(results) {
  const rows = results
    .of('stride')
    .map(({ dtype, stride, gbps }) => ({ panel: `${dtype}: GB/s`, series: dtype, x: stride, y: gbps }));
  const title = 'Figure 3: bandwidth of saxpy and daxpy by stride';
  const svg = panels({ label: title, rows, series: DTYPES, x: 'stride', y: 'GB/s', across: 2, logX: false });
  return svg && { name: 'bell-garland-3', title, svg };
}

const NAMES = {
  dia: 'DIA',
  ell: 'ELL',
  'csr-scalar': 'CSR (scalar)',
  'csr-vector': 'CSR (vector)',
  coo: 'COO',
  hyb: 'HYB',
  pkt: 'PKT',
};

function charts(cases, kernels, figures) {
  return DTYPES.flatMap((dtype) =>
    ['GFLOP/s', 'GB/s'].flatMap((unit) =>
      [UNCACHED, CACHED].flatMap((cache) => {
        const value = (one, kernel) => {
          const gflops = speed(one, dtype, kernel, cache);
          return gflops === undefined || unit === 'GFLOP/s' ? gflops : gflops * BYTES_PER_FLOP[kernel][dtype];
        };
        const rows = cases.flatMap((one) =>
          kernels.map((kernel) => ({ group: one.matrix, series: NAMES[kernel], value: value(one, kernel) })),
        );
        const figure = figures[dtype][unit];
        const title = `Figure ${figure}${cache === CACHED ? 'b' : 'a'}: ${unit}, ${dtype}, ${cache === CACHED ? 'with' : 'without'} the cache of x`;
        const svg = bars({
          label: title,
          rows,
          series: kernels.map((kernel) => NAMES[kernel]),
          unit: `${unit}, ${dtype}`,
        });
        return svg === undefined ? [] : [{ name: `bell-garland-${figure}${cache === CACHED ? 'b' : 'a'}`, title, svg }];
      }),
    ),
  );
}

export const structuredCharts = (cases) =>
  charts(cases, STRUCTURED, { f32: { 'GFLOP/s': 27, 'GB/s': 28 }, f64: { 'GFLOP/s': 29, 'GB/s': 30 } });
export const unstructuredCharts = (cases) =>
  charts(cases, UNSTRUCTURED, { f32: { 'GFLOP/s': 31, 'GB/s': 32 }, f64: { 'GFLOP/s': 34, 'GB/s': 35 } });
