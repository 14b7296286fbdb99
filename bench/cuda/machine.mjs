/** The GPU and the build of a run, for the lines of its results. */
import { commitOf, said } from '../machine.mjs';

/** From the driver and git: { device, driver, commit }, null if not available. `commit`: the name of the build where there is no git. */
export function describeGpu(commit = commitOf()) {
  const line = said('nvidia-smi', ['--query-gpu=name,driver_version', '--format=csv,noheader', '--id=0']);
  const [device = null, driver = null] = line?.split(', ') ?? [];
  return { device, driver, commit };
}
