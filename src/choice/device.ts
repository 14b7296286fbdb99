/**
 * The time of a product on a GPU: its bytes at memory speed, times a factor of the kernel, or, if a kernel is bound by
 * its work per entry, its entries; scattered gathers are added. The backend of the device has the constants.
 */
import type { DeviceCosts } from '../backends/backend.js';
import type { Features } from '../features/features.js';
import type { Prospect } from '../formats/format.js';

/** Nanoseconds for y ← A x by a kernel that was measured. */
export function predictOnDeviceNs(costs: DeviceCosts, features: Features, prospect: Prospect): number {
  const { nnz, scattered } = features;
  const kernel = costs.kernels[prospect.kernel]!;
  const streamed = Math.max(
    (kernel.factor * prospect.bytes) / costs.readGbps,
    (kernel.entryPs * prospect.entries) / 1000,
  );
  const gathers = (scattered * (prospect.scattered ?? 1) * nnz) / costs.gathersPerNs;
  const permuted = prospect.permuted ? (costs.permutedRowPs * features.rows) / 1000 : 0;
  return costs.startNs + streamed + gathers + permuted;
}
