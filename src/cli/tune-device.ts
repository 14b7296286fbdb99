/** `sparlane tune --device cuda`: the paper's tuning method on a GPU. The result becomes a formula in `formats/csrk/sizes.ts`. */
import type { DeviceBackend } from '../backends/backend.js';
import type { Dtype } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import { GPU_GROUP_SIZES } from '../formats/csrk/sizes.js';
import { createEngine } from '../index.node.js';
import { loadMatrix } from './load.js';
import { complain, print, printJson, showProgress } from './output.js';
import { DEVICE_SUITE, openMatrix } from './tune-device-suite.js';
import { type DeviceOutcome, type SizableMatrix, tuneSizes } from './tune-sizes.js';
import { printSizes } from './tune-sizes-table.js';

export interface DeviceTuneOptions {
  readonly dtypes: readonly Dtype[];
  readonly json: boolean;
}

export async function tuneDevice({ dtypes, json }: DeviceTuneOptions): Promise<void> {
  // One thread: products run on the device.
  await using engine = await createEngine({
    device: 'cuda',
    threads: 1,
    tuning: 'built-in',
    onHint: ({ message }) => complain(message),
  });
  const gpu = engine.gpus[0]!;
  const outcomes: DeviceOutcome[] = [];
  for (const dtype of dtypes) outcomes.push(await tuneDtype(engine, gpu, dtype));
  const { name, capability, multiprocessors } = gpu.space.info;
  if (json) {
    printJson({ device: { name, capability, multiprocessors }, groupSizes: GPU_GROUP_SIZES, outcomes });
    return;
  }
  for (const outcome of outcomes) printSizes(outcome);
  print(`${name}, ${multiprocessors} multiprocessors; nothing is stored`);
}

/** All matrices of the suite are in the heap at once: the fit is tested on them after all have been timed. */
async function tuneDtype(engine: Engine, gpu: DeviceBackend, dtype: Dtype): Promise<DeviceOutcome> {
  const opened: SizableMatrix[] = [];
  try {
    for (const source of DEVICE_SUITE) {
      opened.push(openMatrix(engine.heap, gpu, source, await loadMatrix(source), dtype));
    }
    using progress = showProgress(`timing in ${dtype}`);
    return tuneSizes(opened, (text) => progress.say(text));
  } finally {
    for (const matrix of opened) matrix[Symbol.dispose]();
  }
}
