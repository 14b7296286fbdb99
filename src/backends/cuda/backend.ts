/**
 * CUDA kernels (`cuda/`) for matrices in the shared heap. A plan copies the arrays of a matrix to the device once,
 * without conversion, and queues its products there.
 */
import { mismatch, SparlaneError } from '../../core/errors.js';
import { assemble } from '../../core/owned.js';
import { parseSpec } from '../../core/parameters.js';
import { DTYPES, type Dtype } from '../../core/types.js';
import { layoutName, type Stage } from '../../formats/format.js';
import type { Heap } from '../../memory/heap.js';
import type { DeviceBackend, KernelMethod, Plannable, PlanOptions } from '../backend.js';
import { attempt } from './addon.js';
import { DEVICE_COSTS } from './costs.js';
import type { CudaDevice } from './device.js';
import { modelOf } from './model.js';
import { transposeOnDevice } from './transposition.js';

/** Takes ownership of the device, and of what is beside it. @param heap the heap that holds the matrices */
export function createCudaBackend(device: CudaDevice, heap: Heap, beside?: DeviceBackend): DeviceBackend {
  const kernels = attempt(() => device.addon.kernels());
  const kernelOf = ({ kernel: { base, verb } }: Stage) => kernels.find((one) => one.base === base && one.verb === verb);
  const methodsOf = (stage: Stage) => kernelOf(stage)?.methods ?? [];
  // A kernel without methods has one way to compute.
  const hasKernels = (stages: readonly Stage[] | undefined): stages is readonly Stage[] =>
    stages?.every((stage) => kernelOf(stage) !== undefined) ?? false;
  const numbers = new WeakMap<Plannable, number>();
  let last = 0;
  /** A number for each matrix; the plans of a matrix share its arrays on the device. */
  const numberOf = (stored: Plannable) => {
    const number = numbers.get(stored) ?? ++last;
    numbers.set(stored, number);
    return number;
  };
  return {
    space: device,
    beside,
    onDevice: true,
    model: modelOf(DEVICE_COSTS, (base) => kernels.some((one) => one.base === base && one.verb === 'spmv')),
    computes: ({ stages }, verb) => hasKernels(stages[verb]),
    methodsOf: ({ stages }, verb = 'spmv') => (stages[verb] ?? []).flatMap(methodsOf),
    plan(stored, verb, { method, patient = false }: PlanOptions = {}) {
      const stages = stored.stages[verb];
      if (!hasKernels(stages))
        throw mismatch(
          'kernel',
          'format',
          `one with CUDA kernels for ${verb}`,
          layoutName(stored.stages.spmv[0]!.kernel),
        );
      const { dtype, rows, cols } = stored;
      const lengths = verb === 'spmv_t' ? { x: rows, y: cols } : { x: cols, y: rows };
      const matrix = { number: numberOf(stored), dtype, ...lengths, patient };
      return planOnDevice(device, heap, matrix, stages, methodsFor(methodsOf, stages, method));
    },
    transpose(scope, matrix) {
      try {
        return transposeOnDevice(device, scope, matrix);
      } catch (error) {
        // The team needs less room, and none on the device.
        if (error instanceof SparlaneError && error.code === 'heap') return undefined;
        throw error;
      }
    },
    [Symbol.dispose]() {
      beside?.[Symbol.dispose]();
      device[Symbol.dispose]();
    },
  };
}

type DevicePlan = ReturnType<DeviceBackend['plan']>;

/** A matrix, and the lengths of x and y. */
interface PlannedMatrix {
  readonly number: number;
  readonly dtype: Dtype;
  readonly x: number;
  readonly y: number;
  readonly patient: boolean;
}

/** @param methods of each stage; empty: the kernel's own choice */
function planOnDevice(
  device: CudaDevice,
  heap: Heap,
  matrix: PlannedMatrix,
  given: readonly Stage[],
  methods: readonly string[],
): DevicePlan {
  const start = performance.now();
  const { addon, context } = device;
  const { number, dtype, x, y, patient } = matrix;
  device.pin(heap);
  const bytes = heap.view(Uint8Array, 0, heap.byteLength);
  return assemble((owned) => {
    const stages = given.map(({ kernel, header, scatters = false, adds = false }, place) => {
      const stage = attempt(() =>
        addon.plan(
          context,
          kernel,
          DTYPES.indexOf(dtype),
          bytes,
          header,
          methods[place]!,
          y,
          x,
          number,
          patient ? 1 : 0,
        ),
      );
      owned.own({ [Symbol.dispose]: () => device.release(stage.plan) });
      // The first stage that scatters has multiplied y by β.
      return { ...stage, adds: adds || (scatters && place > 0) };
    });
    device.synchronize();
    return {
      backend: 'cuda',
      threads: 1,
      parts: 1,
      setupMs: performance.now() - start,
      setupBytes: stages.reduce((sum, stage) => sum + stage.bytes, 0),
      methods: stages.map(({ method }) => method),
      estimates: stages.map(({ estimates }) => estimates),
      run: ({ block: from, stride }, { block: to }, alpha, beta) =>
        attempt(() => {
          for (const { plan, adds } of stages) addon.run(plan, from, to, alpha, adds ? 1 : beta, stride);
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
