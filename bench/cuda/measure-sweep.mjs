/** Methods of kernels on matrices, one layout for all methods of a format: each product verified, then timed alone on the device, L2 cold. */
import { isRefusal } from '../../dist/formats/format.js';
import { quantile } from '../times.mjs';
import { openLayout } from './library.mjs';
import { matrixByName } from './matrices.mjs';
import { caseOf, timeCold, verify } from './measure.mjs';
import { alone } from './turn.mjs';

const DTYPE = 'f64';

/**
 * Lines: { matrix, title, nnz, format, requested, method, us, samples }, and other properties of a case. `cases`: {
 * name, scale }, of matrices.mjs; `products`: { format, methods }. Matrices that a format refuses are omitted; no case
 * begins after the time limit.
 */
export async function* measureSweep({ engine, cases, products, repetitions, isOver, layOut = openLayout }) {
  for (const { name, scale, ...about } of cases) {
    if (isOver()) return;
    const { title, make } = matrixByName(name);
    const matrix = make(scale);
    const one = caseOf(engine, matrix, DTYPE);
    const known = { matrix: name, title, scale, nnz: matrix.nnz, ...about };
    try {
      for (const { format, methods } of products) {
        const layout = layOutIfItFits(() => layOut(engine, matrix, { format, dtype: DTYPE }, one.onDevice));
        if (layout === undefined) continue;
        try {
          for (const method of methods)
            yield { ...known, format, requested: method, ...(await measureMethod(layout, method, one, repetitions)) };
        } finally {
          layout.close();
        }
      }
    } finally {
      for (const vector of Object.values(one.onDevice)) vector.dispose();
    }
  }
}

/** Undefined if the format refuses the matrix. */
function layOutIfItFits(layOut) {
  try {
    return layOut();
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

async function measureMethod(layout, requested, { expected }, repetitions) {
  const { method, product, time, close } = layout.open(requested);
  try {
    verify(await alone(product), expected);
    const times = await alone(() => timeCold(time, repetitions));
    return { method, us: Number((1000 * quantile(times, 0.5)).toFixed(2)), samples: times.length };
  } finally {
    close();
  }
}
