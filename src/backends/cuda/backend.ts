/**
 * CUDA kernels (`cuda/`) for matrices in the shared heap. A plan copies the arrays of a matrix to the device once,
 * without conversion, and queues its products there.
 */
import { mismatch } from '../../core/errors.js';
import { assemble } from '../../core/owned.js';
import { parseSpec } from '../../core/parameters.js';
import { DTYPES } from '../../core/types.js';
import { layoutName, type Stage } from '../../formats/format.js';
import type { Heap } from '../../memory/heap.js';
import type { DeviceBackend, KernelMethod, Plannable, PlanOptions } from '../backend.js';
import { attempt } from './addon.js';
import { H200 } from './costs.js';
import type { CudaDevice } from './device.js';

/** Takes ownership of the device. @param heap the heap that holds the matrices */
export function createCudaBackend(device: CudaDevice, heap: Heap): DeviceBackend {
  const kernels = attempt(() => device.addon.kernels());
  const methodsOf = ({ kernel: { base, verb } }: Stage) =>
    kernels.find((one) => one.base === base && one.verb === verb)?.methods ?? [];
  return {
    space: device,
    onDevice: true,
    costs: H200,
    computes: ({ stages }, verb) => stages[verb]?.every((stage) => methodsOf(stage).length > 0) ?? false,
    methodsOf: ({ stages }) => stages.spmv.flatMap(methodsOf),
    plan(stored, verb, { method }: PlanOptions = {}) {
      const stages = stored.stages[verb];
      if (stages === undefined || stages.some(({ scatters }) => scatters))
        throw mismatch(
          'kernel',
          'format',
          `one with CUDA kernels for ${verb}`,
          layoutName(stored.stages.spmv[0]!.kernel),
        );
      return planOnDevice(device, heap, stored, stages, methodsFor(methodsOf, stages, method));
    },
    [Symbol.dispose]: () => device[Symbol.dispose](),
  };
}

type DevicePlan = ReturnType<DeviceBackend['plan']>;

/** @param methods of each stage; empty: the kernel's own choice */
function planOnDevice(
  device: CudaDevice,
  heap: Heap,
  matrix: Plannable,
  given: readonly Stage[],
  methods: readonly string[],
): DevicePlan {
  const start = performance.now();
  const { addon, context } = device;
  const { rows, cols, dtype } = matrix;
  device.pin(heap);
  const bytes = heap.view(Uint8Array, 0, heap.byteLength);
  return assemble((owned) => {
    const stages = given.map(({ kernel, header, adds = false }, place) => {
      const stage = attempt(() =>
        addon.plan(context, kernel, DTYPES.indexOf(dtype), bytes, header, methods[place]!, rows, cols),
      );
      owned.own({ [Symbol.dispose]: () => device.release(stage.plan) });
      return { ...stage, adds };
    });
    device.synchronize();
    return {
      backend: 'cuda',
      threads: 1,
      parts: 1,
      setupMs: performance.now() - start,
      setupBytes: stages.reduce((sum, stage) => sum + stage.bytes, 0),
      methods: stages.map(({ method }) => method),
      run: ({ block: x }, { block: y }, alpha, beta) =>
        attempt(() => {
          for (const { plan, adds } of stages) addon.run(plan, x, y, alpha, adds ? 1 : beta);
        }),
      [Symbol.dispose]: () => owned[Symbol.dispose](),
    };
  });
}

/** For each stage, the requested method if its kernel has it, else none. */
function methodsFor(
  methodsOf: (stage: Stage) => readonly KernelMethod[],
  stages: readonly Stage[],
  method: string | undefined,
): readonly string[] {
  if (method === undefined) return stages.map(() => '');
  const { name } = parseSpec('method', method);
  const found = stages.map((stage) => (methodsOf(stage).some((one) => one.name === name) ? method : ''));
  if (found.some((one) => one !== '')) return found;
  const known = stages.flatMap(methodsOf).map((one) => one.name);
  throw mismatch('argument', 'method', known.join(' | ') || 'none', method);
}
