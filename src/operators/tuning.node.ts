/** Where `sparlane tune` leaves what it has measured, and where engines look for it: a file in the user's cache folder. */
import { mkdir, readFile, stat } from 'node:fs/promises';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import type { Hint } from '../core/hints.js';
import { parseTuning, type Tuning } from '../core/tuning.js';
import { fileError, reasonOf } from '../io/parse-error.js';
import { cannotWrite, saveStream } from '../io/save.node.js';
import type { KernelBinary } from '../kernels/abi.js';

/** The processor, as the system names it. */
export function cpuModel(): string {
  return cpus()[0]?.model.trim() ?? 'unknown processor';
}

/** The file's path. On Linux `$XDG_CACHE_HOME/sparlane/tuning.json`. @throws where the user has no home */
export async function tuningFile(): Promise<string> {
  // Imported late: it asks for the home folder at once, and who has none can do without a tuning.
  const { default: envPaths } = await import('env-paths');
  return join(envPaths('sparlane', { suffix: '' }).cache, 'tuning.json');
}

/** What `sparlane tune` writes takes less than one of them. */
const LARGEST_BYTES = 2 ** 20;

/** The tuning in a file; undefined where there is no file. @throws SparlaneError `parse`, naming the path and the reason */
export async function readTuning(path: string): Promise<Tuning | undefined> {
  try {
    // A pipe would be waited for, a device read for ever.
    const file = await stat(path);
    if (!file.isFile() && !file.isDirectory()) throw new Error('a pipe or a device');
    if (file.size > LARGEST_BYTES) throw new Error(`${file.size} bytes`);
    return parseTuning(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw fileError(path, 'a tuning', reasonOf(error), error);
  }
}

/**
 * The tuning that is stored for this processor and these kernels; undefined where there is none. One that cannot be used is
 * ignored, and a hint says why.
 */
export async function loadTuning(
  binary: KernelBinary,
  onHint: (hint: Hint) => void,
  locate: () => Promise<string> = tuningFile,
): Promise<Tuning | undefined> {
  const ignore = (reason: string) =>
    onHint({ name: 'tuning-ignored', message: `${reason}; 'sparlane tune' measures this machine anew` });
  try {
    const path = await locate();
    const tuning = await readTuning(path);
    if (tuning === undefined || isOfThisMachine(tuning, binary)) return tuning;
    const { machine } = tuning;
    ignore(`${path}: expected ${cpuModel()} with ${binary} kernels, got ${machine.cpu} with ${machine.binary}`);
  } catch (error) {
    ignore(reasonOf(error));
  }
  return undefined;
}

/** Whether what was measured holds for engines with these kernels here. */
export function isOfThisMachine({ machine }: Tuning, binary: KernelBinary): boolean {
  return machine.cpu === cpuModel() && machine.binary === binary;
}

/**
 * Writes a tuning to a file, and makes its folder. Whoever reads it meanwhile reads the one before.
 *
 * @throws SparlaneError `argument`, naming the path and the reason of the system
 */
export async function saveTuning(path: string, tuning: Tuning): Promise<void> {
  await mkdir(dirname(path), { recursive: true }).catch((error: unknown) => Promise.reject(cannotWrite(path, error)));
  await saveStream(path, new TextEncoder().encode(`${JSON.stringify(tuning, undefined, 2)}\n`));
}
