/** One matrix of a paper on the device: every contender verified, then timed alone, L2 cold and warm. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { vectorArray } from '../../../dist/core/types.js';
import { bandk } from '../../../dist/reorder/bandk.js';
import { permuteMatrix } from '../../../dist/reorder/permutation.js';
import { rcm } from '../../../dist/reorder/rcm.js';
import { temporaryFolder, writeMatrixFile } from '../../peers/index.mjs';
import { openProcess } from '../../peers/process.mjs';
import { quantile } from '../../times.mjs';
import { openLayout } from '../library.mjs';
import { caseOf, failure, timeCold, verify } from '../measure.mjs';
import { requestOf } from '../results.mjs';
import { alone } from '../turn.mjs';

/**
 * Yields lines: product and failed. `contenders`: those of `plans.mjs`; `programs`: the folder of the native ones, NAME-f64 and NAME-f32; nothing begins
 * once `isOver()`.
 */
export async function* measureCase({ engine, matrix, dtypes, contenders, programs, repetitions, isOver }) {
  // An order is made once, and its matrix leaves memory before the next one.
  for (const [key, some] of byOrder(contenders)) {
    const [order, groups] = JSON.parse(key);
    const start = performance.now();
    const ordered = orderedBy(order, groups, matrix);
    const orderMs = Math.round(performance.now() - start);
    const file = join(temporaryFolder(), 'matrix');
    const hasNative = some.some(({ library }) => library !== 'sparlane');
    if (hasNative) writeMatrixFile(ordered.matrix, file);
    for (const dtype of dtypes) {
      const one = caseOf(engine, ordered.matrix, dtype);
      const request = { engine, ...ordered, one, file, programs, repetitions };
      try {
        for (const contender of some) {
          if (isOver()) return;
          const measure = contender.library === 'sparlane' ? measureOurs : measureNative;
          for await (const line of measure(request, contender))
            yield { ...line, library: contender.library, order, dtype, ...(order !== 'natural' && { orderMs }) };
        }
      } finally {
        for (const vector of Object.values(one.onDevice)) vector.dispose();
      }
    }
    if (hasNative) rmSync(file);
  }
}

/** A map from each order, as a key, to its contenders. Orders come as their first contenders do. */
function byOrder(contenders) {
  const found = new Map();
  for (const contender of contenders) {
    const key = JSON.stringify([contender.order, contender.groups ?? null]);
    found.set(key, [...(found.get(key) ?? []), contender]);
  }
  return found;
}

/** Puts the matrix into an order. `options`: those of CSR-k that belong to it. */
function orderedBy(order, groups, matrix) {
  if (order === 'natural') return { matrix };
  if (order === 'rcm') return { matrix: permuteMatrix(matrix, rcm(matrix)) };
  const { superRowSize, superSuperRowSize } = groups;
  const ordering = bandk(matrix, { k: 3, superRowSize, superSuperRowSize });
  return { matrix: permuteMatrix(matrix, ordering), options: { groups: ordering.groups } };
}

async function* measureOurs({ engine, matrix, options, one, repetitions }, { format, methods }) {
  const { dtype, onDevice } = one;
  let layout;
  try {
    const auto = format === 'auto' ? { products: 'many', tune: false } : {};
    layout = openLayout(engine, matrix, { format, dtype, ...auto, ...options }, onDevice);
  } catch (error) {
    yield failure(format, error);
    return;
  }
  try {
    for (const method of methods) {
      const requested = requestOf(format, method);
      const about = { requested, format: layout.format, bytes: layout.bytes, setupMs: Math.round(layout.setupMs) };
      yield await measured(() => layout.open(method), one, repetitions, about);
    }
  } finally {
    layout.close();
  }
}

/** One process measures all products, unless one of them ends it. */
async function* measureNative({ matrix: { rows }, one, file, programs, repetitions }, { library, program, products }) {
  const { dtype, x } = one;
  const path = join(programs, `${program}-${dtype}`);
  if (!existsSync(path)) {
    yield failure(program, new Error(`no program ${path}`));
    return;
  }
  let opened;
  try {
    for (const product of products) {
      const open = async () => {
        const command = (vectorFile) => [path, file, vectorFile, '1', product];
        if (opened === undefined) opened = await openProcess({ name: library, command, dtype, threads: 1, x });
        else await opened.again(product);
        const y = new (vectorArray(dtype))(rows);
        return {
          method: product,
          product: async () => {
            await opened.product(y);
            return y;
          },
          time: opened.time,
          close() {},
        };
      };
      const line = await measured(open, one, repetitions, { requested: product, format: product.split(' ')[0] });
      yield line;
      // A process that ended, or was wrong, is not asked again.
      if (line.kind === 'failed') {
        await opened?.close();
        opened = undefined;
      }
    }
  } finally {
    await opened?.close();
  }
}

async function measured(open, { expected }, repetitions, about) {
  let product;
  try {
    product = await open();
    verify(await alone(product.product), expected);
    const { cold, warm } = await alone(async () => {
      const cold = await timeCold(product.time, repetitions);
      return { cold, warm: await product.time(cold.length) };
    });
    const us = (times, share) => Number((1000 * quantile(times, share)).toFixed(2));
    const times = { coldUs: us(cold, 0.5), warmUs: us(warm, 0.5), minUs: us(cold, 0), samples: cold.length };
    return { kind: 'product', ...about, method: product.method, ...times };
  } catch (error) {
    return failure(about.requested, error);
  } finally {
    product?.close();
  }
}
