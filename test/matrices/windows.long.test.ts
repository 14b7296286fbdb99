/** The layout of the CUDA kernel for windows of columns, compiled for the host: it needs nvcc, but no GPU. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const CUDA = fileURLToPath(new URL('../../cuda', import.meta.url));
const PROGRAM = join(CUDA, 'test/windows.cu');
/** What kernels are compiled from, made by `npm run build`. */
const BUILD = fileURLToPath(new URL('../../build', import.meta.url));
const hasNvcc = spawnSync('nvcc', ['--version']).status === 0;
if (!hasNvcc) process.stderr.write('SKIPPED: the layout of windows of columns: there is no nvcc\n');

test.skipIf(!hasNvcc)(
  'windows of columns: no two lanes or warps add to the same sum, and every entry is added once',
  { timeout: 300_000 },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'sparlane-windows-'));
    try {
      const program = join(folder, 'windows');
      execFileSync('nvcc', ['-std=c++20', '-O1', '-arch=sm_90', '-I', CUDA, '-I', BUILD, '-o', program, PROGRAM], {
        stdio: 'pipe',
      });
      const { stdout, status } = spawnSync(program, { encoding: 'utf8' });
      expect(stdout).toBe('180 layouts are right\n');
      expect(status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
