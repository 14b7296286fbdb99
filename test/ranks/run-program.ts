/** Runs a program of ranks in a process of its own. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function programPath(name: string): string {
  return fileURLToPath(new URL(`./programs/${name}`, import.meta.url));
}

/** The first program of docs/ranks.md, in a folder where `sparlane` is installed. @returns its path; the folder is the caller's to remove */
export function docsProgram(): string {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const [, program] = /```js\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/ranks.md'), 'utf8'))!;
  const folder = mkdtempSync(join(tmpdir(), 'sparlane-ranks-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/sparlane'));
  writeFileSync(join(folder, 'cg.mjs'), program!);
  return join(folder, 'cg.mjs');
}

/** In CI programs took up to 51 s. */
const TIMEOUT_MS = 200_000;

/** Runs a program to its end. The code is −1 if it was killed after `TIMEOUT_MS`. */
export function run(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const options = { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' as const, env: { ...process.env, ...env } };
  return new Promise((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
  });
}
