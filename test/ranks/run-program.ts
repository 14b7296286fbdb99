/** Runs a program of ranks in a process of its own. */
import { execFile, execFileSync } from 'node:child_process';
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

/**
 * All ranks end within five seconds after one is lost. Beside other tests on the same cores they may take three times as long: SPARLANE_QUIET=1 says that a
 * test has the machine to itself.
 */
export const MOST_MS: number = process.env.SPARLANE_QUIET === '1' ? 5000 : 15_000;

/** In CI programs took up to 51 s. */
const TIMEOUT_MS = 200_000;

/** Runs a program to its end. The code is −1 if it was killed, with all that it had started, after `timeoutMs`. */
export function run(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
  timeoutMs: number = TIMEOUT_MS,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(command, args, { env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      clearTimeout(timer);
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
    const timer = setTimeout(() => killAll(child.pid!), timeoutMs);
  });
}

/** Kills a process and all that it has started: launchers start each rank in a group of its own. */
function killAll(pid: number): void {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const all = new Set([pid]);
  // Those that are added meanwhile are visited, too.
  for (const parent of all) for (const [child, of] of pairs) if (of === parent) all.add(child);
  for (const one of all) kill(one);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** What the library itself prints on the standard error of its ranks. */
export function ownLines({ stderr }: Pick<Ended, 'stderr'>): readonly string[] {
  return stderr.split('\n').filter((line) => line.startsWith('sparlane: '));
}
