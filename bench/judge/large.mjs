/**
 * The large matrices of `bench/cuda/run.mjs` (5 to 90 million entries), as data for the choice on a GPU: recorded times, and figures
 * estimated from matrices of the same kinds at a twentieth of the size.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { examine } from '../../dist/features/features.js';
import { prospectsOf } from '../../dist/formats/registry.js';
import { MATRICES } from '../cuda/matrices.mjs';

const SCALE = 0.05;

/** Columns reach over the whole matrix, at any size, if they reach over this share of the small one. */
const WIDE = 0.1;

/** Methods that others replaced after the run: what the present kernels take is not known. */
const REPLACED = /^(stream|split)/;

/** { name, dtype, features, prospects, timeOf(spec) in ms or undefined, best in ms } for each matrix and dtype. */
export function largeCases(path) {
  const lines = gunzipSync(readFileSync(path)).toString().trim().split('\n').map(JSON.parse);
  const products = lines.filter(({ kind, library, requested, method }) => {
    return kind === 'product' && library === 'sparlane' && requested !== 'auto' && !REPLACED.test(method);
  });
  const measured = MATRICES.filter(({ name }) => products.some(({ matrix }) => matrix === name));
  return measured.flatMap(({ name, make }) => {
    const examined = examine(make(SCALE));
    const features = enlarged(examined.features);
    return ['f64', 'f32'].map((dtype) => {
      const own = products.filter((line) => line.matrix === name && line.dtype === dtype);
      const prospects = prospectsOf(examined, dtype, { onDevice: true }).map(enlargedProspect);
      return { name, dtype, features, prospects, ...timesOf(own) };
    });
  });
}

function enlarged(features) {
  const { rows, cols, nnz, reach } = features;
  const wide = reach > WIDE * cols ? reach / SCALE : reach;
  return { ...features, rows: rows / SCALE, cols: cols / SCALE, nnz: nnz / SCALE, reach: wide };
}

function enlargedProspect(prospect) {
  const { bytes, entries, steps = 0 } = prospect;
  return { ...prospect, bytes: bytes / SCALE, entries: entries / SCALE, steps: steps / SCALE };
}

/** Chunks of 4 rows, which are newer than the run. */
const OF_FOUR = /chunkHeight=4&?/;

/** Parameters that a format finds automatically are not named in the request, but tables of values are. Chunks of 4 rows are taken for those of 8. */
function timesOf(own) {
  const find = (spec) => own.find(({ requested }) => requested === spec);
  const timeOf = (spec) => {
    const line =
      find(spec) ??
      find(spec.replace(OF_FOUR, '')) ??
      (spec.includes('values=') ? undefined : find(spec.split('?')[0]));
    return line === undefined ? undefined : line.coldUs / 1000;
  };
  return { timeOf, best: Math.min(...own.map(({ coldUs }) => coldUs)) / 1000 };
}
