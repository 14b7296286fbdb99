/** Options of `engine.operator`, and their check. */
import type { WasmPlanOptions } from '../backends/wasm.js';
import { boolean, knownKeys, oneOf } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { Groups } from '../core/groups.js';
import { DTYPES, type Dtype } from '../core/types.js';
import type { Distribution } from './split.js';
import { type Checked, type ChoiceOptions, checkChoice } from './store-best.js';

export interface OperatorOptions extends WasmPlanOptions, ChoiceOptions {
  /**
   * A format and its parameters: `csr`, `csrk?k=3&superRowSize=64`. Default `auto`: the format expected to be fastest.
   */
  format?: string;
  /** For `csrk`: its super-rows, as computed by `bandk`. Default: super-rows of equal length. */
  groups?: Groups;
  /** Default `f64`. */
  dtype?: Dtype;
  /**
   * Whether the layout may contain padding: zeros that are multiplied by elements of x that their row does not use. If
   * such an element is NaN or infinite, the row of y becomes NaN. With `false`, a row of y depends only on the entries
   * of the row: `auto` then selects only formats without padding, and a named format that needs padding is refused
   * (`fill-in`). Default true.
   */
  padding?: boolean;
  /**
   * `wasm`: WebAssembly kernels, on the team if that is faster. `cuda`: the engine's device. `hybrid`: both.
   * `reference`: plain TypeScript, for verification. Default: according to the engine's `device`.
   */
  backend?: BackendName;
  /** With several GPUs: the partition of the rows (`split.ts`). Default `block`. */
  distribution?: Distribution;
  /** On a device: the method of its kernel (`vector?width=8`). Default: the method expected to be fastest. */
  method?: string;
}

/** The backend that computes the products of an operator. */
export type BackendName = 'wasm' | 'cuda' | 'hybrid' | 'reference';

/** The format is selected for each matrix. */
export const AUTO = 'auto';

const BACKENDS: readonly BackendName[] = ['wasm', 'cuda', 'hybrid', 'reference'];
const CHOICE_OPTIONS = ['products', 'tune', 'allowPermutation'] as const;
const OPERATOR_OPTIONS = [
  'format',
  'groups',
  'dtype',
  'backend',
  'method',
  'distribution',
  'parts',
  'padding',
  ...CHOICE_OPTIONS,
];

/** The checked options of an operator. `distribution`: only for several GPUs. `choice`: only if no format is named. */
export interface CheckedOptions {
  readonly dtype: Dtype;
  readonly backend: BackendName;
  readonly distribution: Distribution | undefined;
  readonly padding: boolean;
  readonly choice: Checked | undefined;
}

/** @throws SparlaneError `argument` for a wrong or unknown option, or one that does not apply */
export function checkOperatorOptions(
  options: OperatorOptions,
  engine: { readonly backend: BackendName; readonly devices: readonly unknown[] },
): CheckedOptions {
  knownKeys('options', options, OPERATOR_OPTIONS);
  const dtype = oneOf('dtype', options.dtype ?? 'f64', DTYPES);
  const backend = oneOf('backend', options.backend ?? engine.backend, BACKENDS);
  const isHybrid = backend === 'hybrid';
  const isSplit = backend === 'cuda' && engine.devices.length > 1;
  if (backend !== 'cuda' && !isHybrid) onlyFor('method', options.method, "backend 'cuda' or 'hybrid'");
  if (isSplit || isHybrid) onlyFor('tune', options.tune, 'one GPU, or the CPU');
  if (isHybrid) onlyFor('allowPermutation', options.allowPermutation, 'one GPU, or the CPU');
  if (!isSplit) onlyFor('distribution', options.distribution, 'several GPUs');
  const distribution = oneOf('distribution', options.distribution ?? 'block', ['block', 'cyclic']);
  const padding = boolean('padding', options.padding ?? true);
  const isAuto = (options.format ?? AUTO) === AUTO;
  if (isAuto) onlyFor('groups', options.groups, "format 'csrk'");
  else for (const name of CHOICE_OPTIONS) onlyFor(name, options[name], `format '${AUTO}'`);
  const choice = isAuto ? checkChoice(options) : undefined;
  return { dtype, backend, distribution: isSplit ? distribution : undefined, padding, choice };
}

function onlyFor(name: string, value: unknown, what: string): void {
  if (value !== undefined) throw mismatch('argument', name, `no value (only valid with ${what})`, value);
}
