/** Options of `engine.operator`, and their check. */
import type { PlanOptions } from '../backends/backend.js';
import { boolean, knownKeys, oneOf } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { Groups } from '../core/groups.js';
import { DTYPES, type Dtype } from '../core/types.js';
import type { Distribution } from './row-partition.js';
import { type Checked, type ChoiceOptions, checkChoice } from './store-best.js';

export interface OperatorOptions extends PlanOptions, ChoiceOptions {
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
   * Where products are computed, if not where the engine computes. `cpu`: on the team, or on the caller's thread if that is
   * faster. `cuda`: on the engine's GPUs. `hybrid`: on both. `reference`: in plain TypeScript, for verification.
   */
  device?: OperatorDevice;
  /** With several GPUs: the partition of the rows (`row-partition.ts`). Default `block`. */
  distribution?: Distribution;
}

/** Where an engine computes. `hybrid`: on its GPU and on the CPU at once. */
export type Device = 'cpu' | 'cuda' | 'hybrid';

/** Where the products of an operator are computed. */
export type OperatorDevice = Device | 'reference';

/** The format is selected for each matrix. */
export const AUTO = 'auto';

const DEVICES: readonly OperatorDevice[] = ['cpu', 'cuda', 'hybrid', 'reference'];
const CHOICE_OPTIONS = { products: true, tune: true, allowPermutation: true, columns: true } satisfies Record<
  keyof ChoiceOptions,
  true
>;
const OPERATOR_OPTIONS = {
  format: true,
  groups: true,
  dtype: true,
  device: true,
  method: true,
  distribution: true,
  parts: true,
  patient: true,
  padding: true,
  ...CHOICE_OPTIONS,
} satisfies Record<keyof OperatorOptions, true>;

/** The checked options of an operator. `distribution`: only for several GPUs. `choice`: only if no format is named. */
export interface CheckedOptions {
  readonly dtype: Dtype;
  readonly device: OperatorDevice;
  readonly distribution: Distribution | undefined;
  readonly padding: boolean;
  readonly patient: boolean;
  readonly choice: Checked | undefined;
}

/** @throws SparlaneError `argument` for a wrong or unknown option, or one that does not apply */
export function checkOperatorOptions(
  options: OperatorOptions,
  engine: { readonly device: Device; readonly gpus: readonly unknown[] },
): CheckedOptions {
  knownKeys('options', options, OPERATOR_OPTIONS);
  const dtype = oneOf('dtype', options.dtype ?? 'f64', DTYPES);
  const device = oneOf('device', options.device ?? engine.device, DEVICES);
  const isHybrid = device === 'hybrid';
  const isSplit = device === 'cuda' && engine.gpus.length > 1;
  if (device !== 'cuda' && !isHybrid) onlyFor('method', options.method, "device 'cuda' or 'hybrid'");
  if (device !== 'cpu' && !isHybrid) onlyFor('parts', options.parts, "device 'cpu' or 'hybrid'");
  if (isSplit || isHybrid) {
    // Solvers say `tune: false` wherever they compute: there are no trials to refuse.
    onlyFor('tune', options.tune === false ? undefined : options.tune, 'one GPU, or the CPU');
    onlyFor('allowPermutation', options.allowPermutation, 'one GPU, or the CPU');
  }
  if (!isSplit) onlyFor('distribution', options.distribution, 'several GPUs');
  const distribution = oneOf('distribution', options.distribution ?? 'block', ['block', 'cyclic']);
  const padding = boolean('padding', options.padding ?? true);
  const isMany = options.products === 'many';
  const hasTrials = device === 'cpu' || (device === 'cuda' && !isSplit);
  const { tune = isMany && hasTrials && options.method === undefined } = options;
  const isAuto = (options.format ?? AUTO) === AUTO;
  if (isAuto) onlyFor('groups', options.groups, "format 'csrk'");
  else
    for (const name of Object.keys(CHOICE_OPTIONS) as (keyof ChoiceOptions)[])
      onlyFor(name, options[name], `format '${AUTO}'`);
  const choice = isAuto ? checkChoice({ ...options, tune }) : undefined;
  const patient = boolean('patient', options.patient ?? options.tune ?? isMany);
  return { dtype, device, distribution: isSplit ? distribution : undefined, padding, patient, choice };
}

function onlyFor(name: string, value: unknown, what: string): void {
  if (value !== undefined) throw mismatch('argument', name, `no value (only valid with ${what})`, value);
}
