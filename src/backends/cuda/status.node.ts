/** Detects CUDA on this machine, or the missing component. */
import type { Heap } from '../../memory/heap.js';
import type { Ranks } from '../../memory/space.js';
import type { DeviceBackend, DeviceInfo } from '../backend.js';
import type { AdviseHugePages } from '../team/backend.js';
import type { CudaAddon } from './addon.js';
import { createCudaBackend } from './backend.js';
import { CudaDevice } from './device.js';
import { HEADERS } from './headers.js';
import { RankedDevice } from './ranked-device.js';

/**
 * - `not-installed`: `@sparlane/cuda` is not installed
 * - `cannot-load`: it is installed, but its addon cannot be loaded: wrong platform, not built, built from other sources than the library, or a missing library
 * - `no-driver`: no NVIDIA driver is installed
 * - `driver-too-old`: the driver is older than the CUDA that the addon was built with
 * - `no-device`: the driver reports no device
 * - `ok`: at least one device is available
 */
export type CudaState = 'not-installed' | 'cannot-load' | 'no-driver' | 'driver-too-old' | 'no-device' | 'ok';

/** Whether CUDA can be used, and if not, why. */
export interface CudaStatus {
  readonly state: CudaState;
  /** One sentence for the user. */
  readonly message: string;
  /** CUDA version of the driver, such as `13.0`; undefined without a driver. */
  readonly driver?: string;
  readonly devices: readonly DeviceInfo[];
}

interface Found {
  readonly status: CudaStatus;
  readonly native?: CudaAddon;
}

/** The state of CUDA on this machine. Never throws. */
export async function cudaStatus(): Promise<CudaStatus> {
  return (await find()).status;
}

/**
 * Backends of the first `count` devices, or of all if there are fewer, and the status that explains why there are none.
 *
 * @param heap the heap that holds the matrices
 */
export async function openCuda(count: number, heap: Heap): Promise<{ status: CudaStatus; gpus: DeviceBackend[] }> {
  const { status, native } = await find();
  if (native === undefined || status.state !== 'ok') return { status, gpus: [] };
  const open = (info: DeviceInfo, place: number) => createCudaBackend(new CudaDevice(native, place, info), heap);
  return { status, gpus: status.devices.slice(0, count).map(open) };
}

/**
 * The backend of a rank's device, of which several ranks may use the same, or none.
 *
 * @param place of the rank among those of this machine; devices are dealt in turn
 */
export async function openCudaOfRank(
  place: number,
  ranks: Ranks,
  heap: Heap,
): Promise<{ status: CudaStatus; gpus: DeviceBackend[] }> {
  const { status, native } = await find();
  if (native === undefined || status.state !== 'ok') return { status, gpus: [] };
  const which = place % status.devices.length;
  const info = status.devices[which]!;
  const beside = createCudaBackend(new CudaDevice(native, which, info, true), heap);
  return { status, gpus: [createCudaBackend(new RankedDevice(native, which, info, ranks), heap, beside)] };
}

/**
 * Asks the system for large pages for all of a heap, used or not, where the addon is installed, with or without a device: only native
 * code can ask, and V8 does not. Never throws.
 *
 * @returns asks for those of another heap, at once
 */
export async function adviseHugePages(heap: Heap): Promise<AdviseHugePages | undefined> {
  try {
    const { loadAddon } = (await import(PACKAGE)) as { loadAddon: () => CudaAddon };
    const addon = loadAddon();
    const advise: AdviseHugePages = (other) =>
      addon.adviseHugePages(other.view(Uint8Array, 0, other.byteLength), other.maximumBytes);
    advise(heap);
    return advise;
  } catch {
    // Not installed, or not for this platform: the pages stay small.
    return undefined;
  }
}

/** Not a literal in the import, which compilers and bundlers would try to resolve. */
const PACKAGE = '@sparlane/cuda';

async function find(): Promise<Found> {
  let loadAddon: () => CudaAddon;
  try {
    ({ loadAddon } = await import(PACKAGE));
  } catch (error) {
    const missing = (error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND';
    return absent(missing ? 'not-installed' : 'cannot-load', missing ? `${PACKAGE} is not installed` : `${error}`);
  }
  try {
    const native = loadAddon();
    return { status: describe(native), native };
  } catch (error) {
    return absent(
      'cannot-load',
      `the addon of ${PACKAGE} cannot be loaded: ${(error as Error).message.split('\n')[0]}`,
    );
  }
}

/** The result of cudaGetDeviceCount if the driver is older than the runtime. */
const INSUFFICIENT_DRIVER = 35;

/** This is said of an addon whose kernels would take words of a header for others. */
const ANOTHER_BUILD = `the addon of ${PACKAGE} was built from other sources than this library: expected the same version of both packages, or in a checkout npm run build:cuda`;

function describe(native: CudaAddon): CudaStatus {
  const { driver, runtime, outcome, devices, headers } = native.status();
  if (headers !== HEADERS) return { state: 'cannot-load', message: ANOTHER_BUILD, devices: [] };
  if (driver === 0) return { state: 'no-driver', message: 'there is no NVIDIA driver', devices: [] };
  const known = { driver: version(driver), devices };
  if (outcome === INSUFFICIENT_DRIVER || Math.floor(driver / 1000) < Math.floor(runtime / 1000)) {
    const message = `the driver is for CUDA ${version(driver)}, the addon needs ${version(runtime)}`;
    return { state: 'driver-too-old', message, ...known };
  }
  if (devices.length === 0)
    return { state: 'no-device', message: `no CUDA device is visible (error ${outcome})`, ...known };
  return { state: 'ok', message: devices.map(({ name }) => name).join(', '), ...known };
}

function absent(state: CudaState, message: string): Found {
  return { status: { state, message, devices: [] } };
}

/** 13000 becomes 13.0. */
function version(number: number): string {
  return `${Math.floor(number / 1000)}.${Math.floor((number % 1000) / 10)}`;
}
