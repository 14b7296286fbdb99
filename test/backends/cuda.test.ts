/**
 * The CUDA addon without a GPU: it loads, reports what is missing, and rejects every bad argument before the first CUDA
 * call. With a GPU, `sparlane selftest --device cuda` runs the conformance suite.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { cudaStatus } from '#dist/backends/cuda/status.node.js';
import { overAnotherMemory } from '#dist/backends/team/other-memory.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import type { SparlaneError } from '#dist/core/errors.js';
import { DTYPES } from '#dist/core/types.js';
import type { StoredMatrix } from '#dist/formats/format.js';
import { gallery } from '#dist/gallery/registry.js';
import { createEngine } from '#dist/index.node.js';
import { type Addon, loadAddon } from '../../cuda/index.js';
import { temporaryFolder } from '../cli/run-cli.js';

const BINARY = new URL(`../../cuda/${process.platform}-${process.arch}/sparlane_cuda.node`, import.meta.url);
const isBuilt = existsSync(BINARY);
const status = await cudaStatus();
/** Whether the system gives large pages to those who ask. */
const HUGE_PAGES = /\[(always|madvise)\]/.test(textOf('/sys/kernel/mm/transparent_hugepage/enabled'));
const note = isBuilt ? '' : ' — SKIPPED: the addon is not built (npm run build:cuda, which needs nvcc)';

/** The drivers of two GPUs describe them so. */
const H200 = {
  ...{ l2Bytes: 62914560, multiprocessors: 132, clockKhz: 1980000, memoryClockKhz: 3201000, memoryBusBits: 6144 },
  ...{ blockSharedBytes: 232448, sharedBytes: 233472, threads: 2048 },
};
const H100 = { ...H200, l2Bytes: 52428800, memoryClockKhz: 2619000, memoryBusBits: 5120 };

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Memory of this process in large pages. */
function hugePagesKb(): number {
  const sizes = textOf('/proc/self/smaps').matchAll(/^AnonHugePages: +(\d+) kB/gm);
  return [...sizes].reduce((sum, [, kb]) => sum + Number(kb), 0);
}

test('the status is one of those documented, in a sentence', () => {
  expect(['not-installed', 'cannot-load', 'no-driver', 'driver-too-old', 'no-device', 'ok']).toContain(status.state);
  expect(status.message).toMatch(/\S/);
  if (!isBuilt) expect(status.state).toBe('cannot-load');
});

describe('an addon', () => {
  /** Returns what `cudaStatus` says in a process whose addon was built with the headers in HEADERS_OF_ADDON, by default with those of the library. */
  function statusWith(variables: object): unknown {
    const program = `
      import { register } from 'node:module';
      register('./test/ranks/devices/hooks.mjs', '${new URL('../../', import.meta.url)}');
      const { cudaStatus } = await import('#dist/backends/cuda/status.node.js');
      console.log(JSON.stringify(await cudaStatus()));
      process.exit();`;
    const args = ['--input-type=module', '-e', program];
    const { stdout, stderr } = spawnSync(process.execPath, args, { env: { ...process.env, ...variables } });
    expect(`${stderr}`).toBe('');
    return JSON.parse(`${stdout}`);
  }

  test('whose kernels read the headers of this library is taken', () => {
    expect(statusWith({})).toMatchObject({ state: 'ok' });
  });

  test('whose kernels read other headers is refused, with the remedy', () => {
    const refused = statusWith({ HEADERS_OF_ADDON: '00' });
    expect(refused).toMatchObject({ state: 'cannot-load', devices: [] });
    expect((refused as { message: string }).message).toMatch(/built from other sources .* npm run build:cuda$/);
  });
});

describe.skipIf(status.state === 'ok')('an engine where there is no device', () => {
  test('device cuda: the error says why there is none', async () => {
    const error: SparlaneError = await createEngine({ device: 'cuda', threads: 1 }).then(
      () => expect.unreachable(),
      (reason) => reason,
    );
    expect(error).toMatchObject({ code: 'backend' });
    expect(error.message).toBe(`device: expected a CUDA device, got none: ${status.message}`);
  });

  test('device auto: computes on the CPU, with a hint', async () => {
    const hints: string[] = [];
    const onHint = ({ name, message }: { name: string; message: string }) => hints.push(`${name}: ${message}`);
    await using engine = await createEngine({ device: 'auto', threads: 1, onHint });
    expect(hints).toContain(`no-device: on the CPU: ${status.message}`);
    expect([engine.device, engine.gpus]).toEqual(['cpu', []]);
    using operator = engine.operator({ rows: 1, cols: 1, rowPtr: [0, 1], colIdx: [0], values: [2] });
    const y = new Float64Array(1);
    operator.apply(Float64Array.of(3), y);
    expect(y[0]).toBe(6);
  });

  test('has no vectors and no operators of a device', async () => {
    await using engine = await createEngine({ threads: 1 });
    const { bytesInUse } = engine.heap;
    expect(() => engine.vector(3, { device: 'cuda' })).toThrow(/engine: expected one with device: 'cuda'/);
    const matrix = { rows: 1, cols: 1, rowPtr: [0, 1], colIdx: [0], values: [2] };
    expect(() => engine.operator(matrix, { format: 'csr', device: 'cuda' })).toThrow(
      /expected one with device: 'cuda'/,
    );
    expect(() => engine.operator(matrix, { format: 'csr', method: 'scalar' })).toThrow(
      /method: expected no value \(only valid with/,
    );
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });
});

describe.skipIf(!isBuilt)(`the addon${note}`, () => {
  const addon: Addon = isBuilt ? loadAddon() : (undefined as never);
  const heap = new Uint8Array(64);

  test('has a status, and kernels with methods, each named once', () => {
    const headers = createHash('sha256').update(textOf('build/headers.h')).digest('hex');
    expect(addon.status()).toMatchObject({ runtime: expect.any(Number), devices: expect.any(Array), headers });
    const kernels = addon.kernels();
    const names = kernels.map(({ base, verb }) => `${base} ${verb}`);
    expect(new Set(names).size).toBe(names.length);
    const csr = kernels.find(({ base, verb }) => base === 'csr' && verb === 'spmv');
    expect(csr?.methods).toContainEqual({ name: 'vector', parameters: ['width'], atomic: false });
    expect(csr?.methods).toContainEqual({ name: 'balanced', parameters: [], atomic: true });
    const verbs = (base: string) => kernels.filter((one) => one.base === base).map(({ verb }) => verb);
    expect(verbs('csr')).toEqual(['spmv', 'spmm', 'spmv_t']);
    for (const base of ['csrk', 'sell', 'dia', 'bsr']) expect(verbs(base)).toContain('spmm');
    const [scatter] = kernels.find(({ base, verb }) => base === 'coo' && verb === 'spmv_t')!.methods;
    expect(scatter).toEqual({ name: 'atomic', parameters: [], atomic: true });
    for (const { methods } of kernels) expect(new Set(methods.map(({ name }) => name)).size).toBe(methods.length);
  });

  describe('states the times that methods are expected to take, for a device that is only described', () => {
    async function listOf(format: string, matrix: CsrMatrix, device: typeof H200, dtype: 'f64' | 'f32' = 'f64') {
      await using engine = await createEngine({ threads: 1 });
      using operator = engine.operator(matrix, { format, dtype });
      const { kernel, header } = (operator.matrix as StoredMatrix).stages.spmv[0]!;
      const bytes = engine.heap.view(Uint8Array, 0, engine.heap.byteLength);
      const list = addon.estimate(device, kernel, DTYPES.indexOf(dtype), bytes, header, 1);
      expect(list.map(({ ns }) => ns)).toEqual(list.map(({ ns }) => ns).toSorted((a, b) => a - b));
      return list;
    }
    const namesOf = (list: readonly { method: string }[]) => list.map(({ method }) => method);
    const small = { ...H200, multiprocessors: 1 };
    const slowMemory = (device: typeof H200) => ({ ...device, memoryClockKhz: device.memoryClockKhz / 100 });
    const grid = gallery('laplace3d27', { nx: 16, ny: 16, nz: 16 });

    test('csr', async () => {
      expect(namesOf(await listOf('csr', grid, H200))).toEqual(['packed', 'stream', 'hubs']);
      // The memory takes 12 bytes an entry, and x, at 43.5 GB/s on a hundredth of an H200, at 29.6 on one of an H100, after a start.
      const memoryNs = async (device: typeof H200) => (await listOf('csr', grid, slowMemory(device)))[0]!.ns - 6490;
      expect((await memoryNs(H200)) / ((12 * grid.nnz + 8 * grid.cols) / 43.5)).toBeCloseTo(1, 1);
      expect((await memoryNs(H100)) / ((12 * grid.nnz + 8 * grid.cols) / 29.6)).toBeCloseTo(1, 1);
      // A small device has much to do with few entries.
      const graph = gallery('rmat', { scale: 15, edgeFactor: 6 });
      expect((await listOf('csr', graph, small))[0]!.method).toBe('hubs');
      expect((await listOf('csr', grid, small))[0]!.method).toBe('packed');
      await expect(listOf('csr', graph, { ...H200, multiprocessors: 0 })).rejects.toThrow(
        'device multiprocessors: expected a number from 1 on, got less',
      );
    });

    test('sell: every batch and every number of threads of a row', async () => {
      const batches = [5, 7, 14];
      const rows = (name: string) => batches.map((columns) => `${name}?unroll=${columns}`);
      const widths = (from: number) =>
        [2, 4, 8, 16, 32].filter((width) => width >= from).map((width) => `split?width=${width}`);
      const ofEight = namesOf(await listOf('sell', grid, H200));
      expect(ofEight.toSorted()).toEqual([...rows('row'), ...rows('slices'), ...widths(2)].sort());
      // A team has at least 16 threads; chunks of 4 rows are multiplied in slices.
      const ofFour = namesOf(await listOf('sell?chunkHeight=4', grid, H200));
      expect(ofFour.toSorted()).toEqual([...rows('slices'), ...widths(4)].sort());
    });

    test('sell: bytes of the memory, padding included', async () => {
      const dense = gallery('dense', { rows: 512, cols: 512 });
      for (const [dtype, entry] of [
        ['f64', 12],
        ['f32', 8],
      ] as const) {
        const list = await listOf('ell', dense, slowMemory(H200), dtype);
        const slices = list.find(({ method }) => method === 'slices?unroll=14')!;
        expect((slices.ns - 4400) / ((entry * dense.nnz) / 43.5)).toBeCloseTo(1, 1);
      }
    });

    test('sell: few long rows are split, rows of a multiprocessor that has enough of them are not', async () => {
      const wide = gallery('dense', { rows: 64, cols: 2048 });
      expect((await listOf('sell', wide, H200))[0]!.method).toBe('split?width=32');
      const [first] = await listOf('sell', grid, small);
      expect(first!.method).toMatch(/^(row|slices)/);
    });

    test('sell: rows of five columns are read in one batch of five', async () => {
      const [first] = await listOf('sell', gallery('laplace2d5', { nx: 400, ny: 400 }), H200);
      expect(first!.method).toBe('row?unroll=5');
    });

    test('bsr: the kernels for a size of blocks, of which the one that loads least is the fastest where blocks are many', async () => {
      const listOfBlocks = (block: number, dtype: 'f64' | 'f32') =>
        listOf(`bsr?blockSize=${block}`, gallery('laplace2d5', { nx: 12, ny: 12, block }), small, dtype);
      for (const dtype of ['f64', 'f32'] as const) {
        expect(namesOf(await listOfBlocks(3, dtype))).toEqual(['k1']);
        expect(namesOf(await listOfBlocks(7, dtype))).toEqual(['k1', 'k2']);
        expect(namesOf(await listOfBlocks(16, dtype))).toEqual(['k2', 'k3']);
        expect(namesOf(await listOfBlocks(48, dtype))).toEqual(['k3', 'k2']);
      }
    });

    test('bsr: segments of long block rows, and their sums', async () => {
      const row = gallery('dense', { rows: 16, cols: 16 * 4096 });
      const ns = async (format: string) => (await listOf(format, row, H200))[0]!.ns;
      // One warp of a panel would read all columns, a step after another.
      expect(await ns('bsr?blockSize=16')).toBeLessThan(30e3);
    });

    test('a kernel without a choice has no list', () => {
      expect(addon.estimate(H200, { base: 'dia', verb: 'spmv' }, 0, heap, 0, 0)).toEqual([]);
    });
  });

  test.skipIf(!HUGE_PAGES)('asks for large pages, also for memory that a heap does not use yet', async () => {
    await using engine = await createEngine({ threads: 1 });
    for (const { heap } of [engine, overAnotherMemory(engine.context)]) {
      const before = hugePagesKb();
      const block = heap.alloc(2 ** 26);
      heap.view(Uint8Array, block, 2 ** 26).fill(1);
      expect(hugePagesKb() - before).toBeGreaterThan(2 ** 15);
      heap.free(block);
    }
  });

  const calls: [name: string, call: (addon: Addon) => unknown, code: string, message: RegExp][] = [
    ['half a device', (a) => a.open(0.5, 0), 'argument', /^device: expected an integer from 0 to 2147483647, got 0.5$/],
    ['a device of another type', (a) => a.open('a' as never, 0), 'argument', /^device: expected .*, got a$/],
    ['no argument', (a) => (a.open as unknown as () => void)(), 'argument', /^device: expected .*, got undefined$/],
    [
      'a context that is none',
      (a) => a.vector(99, 8),
      'argument',
      /^context: expected a context in use, got number 99$/,
    ],
    ['a vector that is none', (a) => a.upload(99, 0, heap), 'argument', /^vector: expected a vector in use/],
    ['gathers from a vector that is none', (a) => a.gather(99, 16384), 'argument', /^zeros: expected a vector in use/],
    ['a plan that is none', (a) => a.run(99, 1, 2, 1, 0, 1), 'argument', /^plan: expected a plan in use/],
    ['a graph that is none', (a) => a.launch(99), 'argument', /^graph: expected a graph in use/],
    ['a slot that is none', (a) => a.compute(0, 99, 1, 0, 1, 98), 'argument', /^a: expected a vector in use/],
    [
      'an operation that is none',
      (a) => a.compute(5, 0, 1, 0, 1, 98),
      'argument',
      /^operation: .* from 0 to 4, got 5$/,
    ],
    [
      'a column of a vector that is none',
      (a) => a.copyStrided(8, 3, 99, 0, 1, 98, 0, 2),
      'argument',
      /^y: expected a vector/,
    ],
    [
      'a transposition of vectors that are none',
      (a) => a.transpose(8, 2, 2, 3, 99, 98, 97, 96, 95, 94),
      'argument',
      /^rowPtr: expected a vector in use, got number 99$/,
    ],
    [
      'values of three bytes in a transposition',
      (a) => a.transpose(3, 2, 2, 3, 99, 98, 97, 96, 95, 94),
      'argument',
      /^width: expected 4 or 8, got 3$/,
    ],
    ['the memory of a vector that is none', (a) => a.lend(99, 64), 'argument', /^vector: expected a vector in use/],
    ['elements of three bytes', (a) => a.dot(3, 1, 2, 3), 'argument', /^width: expected 4 or 8, got 3$/],
    ['factors that are none', (a) => a.multiply(8, 99, 1, 2), 'argument', /^d: expected a vector in use/],
    ['a factor that is not finite', (a) => a.axpby(8, 0, Number.NaN, 1, 0, 1, 2), 'argument', /^a: expected a finite/],
    ['a recording of no context', (a) => a.recordBegin(99), 'argument', /^context: expected a context in use/],
    ['an object that is none', (a) => a.release(99), 'argument', /^object: expected one in use, got number 99$/],
    ['memory that is none', (a) => a.unpin({} as never), 'argument', /^memory: expected a typed array, got \[object/],
  ];

  test.each(calls)('refuses %s', (_, call, code, message) => {
    let error: unknown;
    try {
      call(addon);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code });
    expect((error as Error).message).toMatch(message);
  });

  test.skipIf(process.platform !== 'linux')('asks for no glibc beyond 2.17', () => {
    const text = readFileSync(BINARY, 'latin1');
    const minors = [...text.matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
    expect(minors.length).toBeGreaterThan(0);
    expect(Math.max(...minors)).toBeLessThanOrEqual(17);
  });

  test.skipIf(status.state === 'ok')('has no device to open', () => {
    expect(() => addon.open(0, 0)).toThrow(/^device: expected one of 0 devices, got 0$/);
  });
});

const COMPILER = process.env.CXX ?? 'g++';
const hasCompiler = spawnSync(COMPILER, ['--version']).status === 0;

/** Uses functions of libstdc++ beside the one that `newer.cc` defines, so that a static library defines that one, too. */
const USER = `
  #include <stdexcept>
  #include <string>
  #include <vector>
  extern "C" int use(int n) { return std::vector<int>(n).at(0) + std::string(n, 'x').at(1); }`;

test.skipIf(!hasCompiler).each([
  ['a shared', []],
  ['a static', ['-static-libstdc++']],
])(
  `what newer.cc defines links with %s libstdc++${hasCompiler ? '' : ` — SKIPPED: there is no ${COMPILER}`}`,
  (_, flags) => {
    const newer = fileURLToPath(new URL('../../cuda/glibc/newer.cc', import.meta.url));
    const library = temporaryFolder()('newer.so');
    const args = ['-std=c++20', '-fPIC', '-shared', ...flags, '-o', library, newer, '-x', 'c++', '-'];
    const { status, stderr } = spawnSync(COMPILER, args, { input: USER, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
  },
);
