/**
 * The script of a worker, and the error for a failed start. The usual cause is a bundler, so the error names the option for the URL of
 * the script.
 */
import { SparlaneError } from '../core/errors.js';

/** Time limit for a script to load and start. */
export const START_MS = 30_000;

/**
 * A worker's script: the option for its URL, and the value of the option. Undefined: the place where bundlers put it.
 */
export interface Script {
  readonly option: 'worker' | 'member';
  readonly url: URL | string | undefined;
}

/** Returns the error for a script that did not start. @param advice what helps; default: to pass its URL */
export function notStarted({ option }: Script, got: string, advice?: string): SparlaneError {
  const help = advice ?? `pass its URL as the option \`${option}\``;
  return new SparlaneError('backend', `${option}: expected a script that loads, got ${got}; ${help}`);
}
