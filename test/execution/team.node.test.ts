/** The team, with real threads: that all ranks work, and what happens when they do not. */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Hint } from '#dist/core/hints.js';
import { startEngine } from '#dist/engine/start-engine.js';
import type { StoredMatrix } from '#dist/formats/format.js';
import { gallery } from '#dist/gallery/registry.js';
import { createEngine, type Engine } from '#dist/index.node.js';
import { compileKernels } from '#dist/kernels/compile.node.js';
import { fewOrAll } from '../soak.js';
import { killableEngine, killWhileRunning } from './killable.js';

const matrix = gallery('laplace2d5', { nx: 400, ny: 400 });
const expected = rowSums();
let engine: Engine;

afterEach(() => engine?.dispose());

function rowSums(): Float64Array {
  const { rows, rowPtr, values } = matrix;
  const sums = new Float64Array(rows);
  for (let i = 0; i < rows; i++) for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) sums[i]! += values[k]!;
  return sums;
}

/** A · ones, into a y of NaN. */
function setUp(parts: number) {
  const operator = engine.operator(matrix, { format: 'csr', parts });
  const x = engine.vector(operator.cols).fill(1);
  const y = engine.vector(operator.rows).fill(Number.NaN);
  return {
    y,
    apply: () => operator.apply(x, y),
    isRight: () => y.data.every((value, i) => value === expected[i]),
  };
}

function ranksOf(parts: number): number[] {
  return [...new Set(Array.from({ length: parts }, (_, part) => engine.team.rankOf(part)))].sort();
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('work', () => {
  test.each([1, 2, 3, 5])('%i threads give the right y, and every rank works', async (threads) => {
    engine = await createEngine({ threads });
    const parts = threads * 8;
    const product = setUp(parts);
    const seen = new Set<number>();
    for (let round = 0; round < 300 && seen.size < threads; round++) {
      product.y.fill(Number.NaN);
      product.apply();
      expect(product.isRight()).toBe(true);
      for (const rank of ranksOf(parts)) seen.add(rank);
    }
    expect([...seen].sort()).toEqual(Array.from({ length: threads }, (_, rank) => rank));
  });

  test('small products stay with the caller, large ones are cut', async () => {
    engine = await createEngine({ threads: 2 });
    expect(engine.operator(gallery('laplace2d5', { nx: 45, ny: 45 })).plan.parts).toBe(1);
    expect(engine.operator(matrix).plan.parts).toBeGreaterThan(1);
    expect(() => engine.operator(matrix, { parts: 0 })).toThrow(/parts: expected an integer from 1 to 1024, got 0/);
  });

  test('more threads than cores: a hint, and right answers', async () => {
    const hints: Hint[] = [];
    engine = await createEngine({ threads: 16, onHint: (hint) => hints.push(hint) });
    expect(hints.map(({ name }) => name)).toEqual(['oversubscribed']);
    const product = setUp(64);
    for (let round = 0; round < 50; round++) product.apply();
    expect(product.isRight()).toBe(true);
  });

  test('thousands of matrices made and disposed leave the heap as it was', async () => {
    engine = await createEngine({ threads: 2 });
    const small = gallery('laplace2d5', { nx: 10, ny: 10 });
    engine.operator(small, { format: 'csrk' }).dispose();
    const { bytesInUse, byteLength } = engine.heap;
    for (let cycle = 0; cycle < fewOrAll(2_000, 10_000); cycle++) {
      using operator = engine.operator(small, { format: cycle % 2 ? 'csr' : 'csrk' });
      using y = engine.vector(operator.rows);
      operator.apply(new Float64Array(operator.cols), y);
    }
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
    expect(engine.heap.byteLength).toBe(byteLength);
  });
});

describe('idleness', () => {
  test('a program that never disposes its engine ends by itself', async () => {
    const script = fileURLToPath(new URL('./fixtures/forgetful.mjs', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 20_000 });
    expect(stdout).toBe('true');
  });

  test('a disposed engine makes no more operators, and existing ones compute on the caller', async () => {
    engine = await createEngine({ threads: 2 });
    const product = setUp(4);
    await engine.dispose();
    await engine.dispose();
    product.apply();
    expect(product.isRight()).toBe(true);
    expect(() => engine.operator(matrix)).toThrow(/engine: expected one that is in use/);
    expect(() => engine.vector(3)).toThrow(/engine/);
  });

  test('an aborted signal disposes the engine', async () => {
    const controller = new AbortController();
    engine = await createEngine({ threads: 2, signal: controller.signal });
    controller.abort();
    expect(() => engine.vector(3)).toThrow(/engine: expected one that is in use/);
    await expect(createEngine({ threads: 2, signal: controller.signal })).rejects.toThrow(/abort/);
  });
});

describe('patience', () => {
  test('a thread that loses its core for 1.5 s is waited for', async () => {
    const hints: Hint[] = [];
    const member = new URL('./fixtures/late-member.mjs', import.meta.url);
    engine = await createEngine({ threads: 2, member, onHint: (hint) => hints.push(hint) });
    const product = setUp(2);
    let longestMs = 0;
    for (let round = 0; round < 300 && longestMs < 1_000; round++) {
      product.y.fill(Number.NaN);
      const start = performance.now();
      product.apply();
      longestMs = performance.now() - start;
      expect(product.isRight()).toBe(true);
    }
    expect(longestMs).toBeGreaterThan(1_000);
    expect(ranksOf(2)).toContain(1);
    expect(hints).toEqual([]);
  });

  test.concurrent.each(['tells', 'mute'])('a stopped process continues its products (%s)', async (platform) => {
    const script = fileURLToPath(new URL('./fixtures/stopped.mjs', import.meta.url));
    const child = spawn(process.execPath, [script, platform], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(child.stdout.setEncoding('utf8'), 'data');
    const rest = text(child.stdout);
    for (let stop = 0; stop < fewOrAll(2, 5); stop++) {
      await sleep(120);
      child.kill('SIGSTOP');
      await sleep(1_500);
      child.kill('SIGCONT');
    }
    child.stdin.end();
    const report = JSON.parse(await rest);
    expect(report).toMatchObject({ errors: [], hints: [] });
    expect(report.byMember).toBeGreaterThan(0);
  });
});

describe('failure', () => {
  test('a trap in a kernel is an error of the product, and the engine stays usable', async () => {
    engine = await createEngine({ threads: 2 });
    const operator = engine.operator(matrix, { format: 'csr', parts: 8 });
    const x = engine.vector(operator.cols).fill(1);
    const y = engine.vector(operator.rows);
    // The ABI broken on purpose: row pointers that leave the memory.
    const header = engine.heap.view(Uint32Array, (operator.matrix as StoredMatrix).stages.spmv[0]!.header, 8);
    const rowPtr = header[4]!;
    header[4] = 0xffff_0000;
    for (let round = 0; round < 3; round++) {
      expect(() => operator.apply(x, y)).toThrow(expect.objectContaining({ code: 'kernel' }));
    }
    header[4] = rowPtr;
    await sleep(50);
    operator.apply(x, y);
    expect(y.data.every((value, i) => value === expected[i])).toBe(true);
  });

  test('after a trap in the first stage of a product, the second is not computed, and the engine stays usable', async () => {
    engine = await createEngine({ threads: 2 });
    const operator = engine.operator(matrix, { format: 'sss', parts: 8 });
    const { stages } = operator.matrix as StoredMatrix;
    expect(stages.spmv.length).toBe(2);
    const x = engine.vector(operator.cols).fill(1);
    const y = engine.vector(operator.rows);
    const header = engine.heap.view(Uint32Array, stages.spmv[0]!.header, 8);
    const words = header.slice();
    const run = vi.spyOn(engine.team, 'run');
    for (let round = 0; round < 3; round++) {
      header.fill(0xffff_0000, 3);
      expect(() => operator.apply(x, y)).toThrow(expect.objectContaining({ code: 'kernel' }));
      header.set(words);
      operator.apply(x, y);
      expect(y.data.every((value, i) => value === expected[i])).toBe(true);
      await sleep(50);
    }
    expect(run).toHaveBeenCalledTimes(6);
  });

  test('threads that do not start are an error, not a hang', async () => {
    const member = new URL('./fixtures/broken-member.mjs', import.meta.url);
    const start = performance.now();
    await expect(createEngine({ threads: 2, member })).rejects.toMatchObject({ code: 'backend' });
    expect(performance.now() - start).toBeLessThan(15_000);
  });

  test('a platform that refuses threads is an error of ours', async () => {
    const cause = new Error('no workers today');
    const platform = { compileKernels, createPool: () => Promise.reject(cause), cores: 2 };
    await expect(startEngine(platform, { threads: 2 })).rejects.toMatchObject({
      code: 'backend',
      message: 'threads: expected 1 to start, got Error: no workers today',
      cause,
    });
  });

  test('threads that start while the kernels are compiled end if these are none', async () => {
    const close = vi.fn(async () => {});
    const createPool = vi.fn(async () => ({ enlist: async () => {}, close }));
    const platform = { compileKernels: () => Promise.reject(new Error('no file today')), createPool, cores: 2 };
    await expect(startEngine(platform, { threads: 2 })).rejects.toMatchObject({ code: 'kernel' });
    expect(createPool).toHaveBeenCalledTimes(1);
    expect(close).toHaveBeenCalledTimes(1);
    await expect(startEngine(platform, { threads: 1 })).rejects.toMatchObject({ code: 'kernel' });
    expect(createPool).toHaveBeenCalledTimes(1);
  });

  test('a thread killed between two products costs a hint and nothing else', async () => {
    const killable = await killableEngine();
    engine = killable.engine;
    const product = setUp(16);
    product.apply();
    await killable.kill();
    await expect.poll(() => killable.hints.map(({ name }) => name), { timeout: 2000 }).toEqual(['thread-lost']);
    for (let round = 0; round < 300 && !ranksOf(16).includes(1); round++) {
      product.y.fill(Number.NaN);
      product.apply();
      expect(product.isRight()).toBe(true);
      await sleep(1);
    }
    expect(ranksOf(16)).toContain(1);
  });

  test('many products, threads killed at random moments: no hang, no wrong answer, every loss reported', async () => {
    const killable = await killableEngine();
    engine = killable.engine;
    const product = setUp(16);
    let seed = 1;
    const isTime = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed % fewOrAll(30, 100) === 0;
    };
    const run = () => {
      product.y.fill(Number.NaN);
      product.apply();
      return product.isRight();
    };
    await killWhileRunning(killable, fewOrAll(300, 1000), { run, isTime, mostMs: 2000 });
  });
});
