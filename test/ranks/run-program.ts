/** Runs a program of ranks in a process of its own. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function programPath(name: string): string {
  return fileURLToPath(new URL(`./programs/${name}`, import.meta.url));
}

/** @returns code −1 if it was still running after 40 s */
export function run(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const options = { timeout: 40_000, killSignal: 'SIGKILL' as const, env: { ...process.env, ...env } };
  return new Promise((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
  });
}
