/**
 * Whether the system gives the shared memory large pages. V8 does not ask for them, so on `madvise`, the default of Debian and
 * Ubuntu, it gets pages of 4 KiB. On a shared machine with 2 cores of an Intel Xeon, large pages made products 1.1 (least times) to 1.5
 * (medians) times as fast (November 2026). Where @sparlane/cuda is installed, an engine asks for them.
 */
import { readFileSync } from 'node:fs';
import { printLine } from './output.js';

const SETTING = '/sys/kernel/mm/transparent_hugepage/enabled';

/** One sentence if the setting of this system costs speed; undefined if it does not, or where there is no such setting. */
export function hugePagesAdvice(file: string = SETTING): string | undefined {
  const setting = /\[(\w+)\]/.exec(textOf(file))?.[1];
  if (setting === undefined || setting === 'always') return undefined;
  return `transparent huge pages are '${setting}', so memory has pages of 4 KiB, unless @sparlane/cuda is installed, which asks for large ones; with 'always' (${SETTING}) products of large matrices are 1.1 to 1.5 times as fast`;
}

/** Prints that sentence after a label, if there is one. */
export function printHugePagesAdvice(label: string): void {
  const advice = hugePagesAdvice();
  if (advice !== undefined) printLine(label, advice);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
