/** The options of `matrixFunction`. */
import { finite, knownKeys, list, within } from '../../core/checks.js';
import { mismatch } from '../../core/errors.js';
import { UNIT_ROUNDOFF } from '../../core/norms.js';

/** `matrixFunction` takes these options. */
export interface MatrixFunctionOptions {
  /** Numbers at most and at least as large as every eigenvalue. Default: Gershgorin's, which may be far off. */
  readonly interval?: readonly [least: number, greatest: number];
  /** The error of the polynomial beside the largest |f|, about: 2⁻⁵³ to 1. Default 2⁻⁵³ (f32: 2⁻²⁴). */
  readonly rtol?: number;
}

const OPTIONS: Record<keyof MatrixFunctionOptions, true> = { interval: true, rtol: true };

/** @throws SparlaneError `argument` */
export function checkFunction(options: MatrixFunctionOptions): {
  readonly interval: MatrixFunctionOptions['interval'];
  readonly rtol: number;
} {
  knownKeys<MatrixFunctionOptions>('options', options, OPTIONS);
  const rtol = within('rtol', options.rtol ?? UNIT_ROUNDOFF.f64, UNIT_ROUNDOFF.f64, 1);
  return { interval: options.interval === undefined ? undefined : checkInterval(options.interval), rtol };
}

function checkInterval(interval: readonly [number, number]): readonly [number, number] {
  if (list('interval', interval).length !== 2) throw mismatch('argument', 'interval', 'two numbers', interval);
  const [least, greatest] = interval;
  finite('interval[0]', least);
  within('interval[1]', greatest, least, Number.MAX_VALUE);
  return [least, greatest];
}
