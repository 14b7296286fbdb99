/**
 * The file in the user's cache folder to which `sparlane tune` writes its measurements, and from which engines read
 * them.
 */
import { mkdir, readFile, stat } from 'node:fs/promises';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import type { Hint } from '../core/hints.js';
import { parseTuning, type Tuning } from '../core/tuning.js';
import { fileError, reasonOf } from '../io/parse-error.js';
import { cannotWrite, saveStream } from '../io/save.node.js';
import type { KernelBinary } from '../kernels/abi.js';

/** The name of the processor that the system reports. */
export function cpuModel(): string {
  return cpus()[0]?.model.trim() ?? 'unknown processor';
}

/** The path of the file. On Linux `$XDG_CACHE_HOME/sparlane/tuning.json`. @throws if the user has no home folder */
export async function tuningFile(): Promise<string> {
  // Imported here, because the import needs the home folder at once. A user without one needs no tuning.
  const { default: envPaths } = await import('env-paths');
  return join(envPaths('sparlane', { suffix: '' }).cache, 'tuning.json');
}

/** Maximum size of the file. `sparlane tune` writes less. */
const LARGEST_BYTES = 2 ** 20;

/** The tuning in a file; undefined if the file does not exist. @throws SparlaneError `parse`, naming path and reason */
export async function readTuning(path: string): Promise<Tuning | undefined> {
  try {
    // Reading a pipe would block, reading a device would not end.
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
 * The tuning stored for this processor and these kernels; undefined if there is none. A tuning that cannot be used is
 * ignored, and a hint gives the reason.
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

/** Whether the measurements are valid for engines with these kernels on this machine. */
export function isOfThisMachine({ machine }: Tuning, binary: KernelBinary): boolean {
  return machine.cpu === cpuModel() && machine.binary === binary;
}

/**
 * Writes a tuning to a file, and creates its folder. Until the file is complete, readers get the old one.
 *
 * @throws SparlaneError `argument`, naming the path and the reason of the system
 */
export async function saveTuning(path: string, tuning: Tuning): Promise<void> {
  await mkdir(dirname(path), { recursive: true }).catch((error: unknown) => Promise.reject(cannotWrite(path, error)));
  await saveStream(path, new TextEncoder().encode(`${JSON.stringify(tuning, undefined, 2)}\n`));
}
