/** Runs the built command line as its users do: as a process. */
import { execFile, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The script of the command. */
export const MAIN = fileURLToPath(new URL('../../dist/command-line/main.js', import.meta.url));
const TIMEOUT_MS = 150_000;

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function runCli(...args: string[]): Promise<Outcome> {
  return runNode([MAIN, ...args]);
}

const MAX_COLUMNS = 100;

/** The lines of an output that are wider than a terminal of 100 columns. */
export const wideLines = (text: string): string[] => text.split('\n').filter((line) => [...line].length > MAX_COLUMNS);

/** Folder for files that a run stores, instead of the user's cache folder, on every system. */
export function cacheIn(folder: string): Readonly<Record<string, string>> {
  return { XDG_CACHE_HOME: folder, LOCALAPPDATA: folder, HOME: folder };
}

/** The same, with variables of the environment set. */
export function runCliWith(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Outcome> {
  return runNode([MAIN, ...args], env);
}

/** Any program. */
export function runNode(args: string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { timeout: TIMEOUT_MS, env: { ...process.env, ...env } };
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
  });
}

/** Any program, with a file for its stdout. */
export async function runInto(path: string, args: string[]): Promise<Omit<Outcome, 'stdout'>> {
  const file = openSync(path, 'w');
  const child = spawn(process.execPath, args, { stdio: ['ignore', file, 'pipe'], timeout: TIMEOUT_MS });
  closeSync(file);
  const stderr = text(child.stderr!);
  const code = await new Promise<number>((resolve) => child.on('close', (exitCode) => resolve(exitCode ?? -1)));
  return { code, stderr: await stderr };
}

/** Runs a command that must succeed: returns its one JSON object. */
export async function runJson(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCli(...args, '--json');
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
  if (stdout.trim().includes('\n')) throw new Error(`more than one line: ${stdout}`);
  return JSON.parse(stdout);
}

/** A separate folder for a test, removed afterwards. */
export function temporaryFolder(): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'sparlane-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return (name) => join(folder, name);
}
