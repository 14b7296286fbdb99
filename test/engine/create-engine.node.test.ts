/** Engines that cannot be created, and the errors: invalid options, and processes without the necessary permissions. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, test } from 'vitest';
import type { EngineOptions } from '#dist/engine/start-engine.js';
import { createEngine, SparlaneError } from '#dist/index.node.js';

async function errorOf(options: object): Promise<unknown> {
  try {
    await (await createEngine({ threads: 1, ...options } as EngineOptions)).dispose();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('an option', () => {
  const values = [5, -1.5, Number.NaN, 'x', true, {}, [], () => {}, Symbol('s'), 10n, { length: 3 }, new Map()];
  const options = [
    'device',
    'binary',
    'wasm',
    'member',
    'tuning',
    'signal',
    'onHint',
    'maximumBytes',
    'gpus',
    'threads',
  ];
  it.each(options)('%s of a wrong type is an error that names it', async (name) => {
    for (const value of values) {
      const error = await errorOf({ [name]: value });
      if (error === undefined) {
        expect([typeof value, name]).toEqual(typeof value === 'function' ? ['function', 'onHint'] : ['number', name]);
        expect(['onHint', 'gpus', 'threads']).toContain(name);
      } else {
        expect(error).toBeInstanceOf(SparlaneError);
        expect(error).toMatchObject({
          code: 'argument',
          message: expect.stringMatching(new RegExp(`^${name}[.:].*expected `)),
        });
      }
    }
  });

  test('signal and onHint may be left undefined', async () => {
    expect(await errorOf({ signal: undefined, onHint: undefined })).toBeUndefined();
  });
});

describe('unavailable kernels', () => {
  it.each([
    ['a file that is not there', new URL('./nothing.wasm', import.meta.url)],
    ['a file that is none', import.meta.url],
    ['a URL that Node does not read', 'http://localhost:1/kernels.wasm'],
  ])('%s: an error that says where they were looked for', async (_, wasm) => {
    const error = await errorOf({ wasm });
    expect(error).toMatchObject({ name: 'SparlaneError', code: 'kernel' });
    expect((error as Error).message).toContain(`wasm: expected the kernels at ${wasm}, got`);
  });

  test('a binary that this process does not run', async () => {
    const error = await errorOf({ binary: 'relaxed-simd' });
    // Newer engines run it.
    if (error !== undefined) expect(error).toMatchObject({ name: 'SparlaneError', code: 'backend' });
  });
});

describe('a process', () => {
  const script = fileURLToPath(new URL('./fixtures/restricted.mjs', import.meta.url));
  const run = async (...flags: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, script], { timeout: 60_000 });
    return JSON.parse(stdout);
  };
  const isNamed = process.allowedNodeEnvironmentFlags.has('--permission');
  const permission = [isNamed ? '--permission' : '--experimental-permission', '--allow-fs-read=*'];

  test('without the permission to start threads has engines of one', async () => {
    const message = expect.stringMatching(/^threads: expected .*--allow-worker/);
    expect(await run(...permission)).toEqual([
      { threads: 1, y0: 2 },
      { isOurs: true, code: 'backend', message },
    ]);
  });

  test('with it has engines of more', async () => {
    expect(await run(...permission, '--allow-worker')).toEqual([
      { threads: 1, y0: 2 },
      { threads: 2, y0: 2 },
    ]);
  });

  test('without WebAssembly has none', async () => {
    const refused = {
      isOurs: true,
      code: 'backend',
      message: expect.stringMatching(/^WebAssembly: expected .*--jitless/),
    };
    expect(await run('--jitless')).toEqual([refused, refused]);
  });
});
