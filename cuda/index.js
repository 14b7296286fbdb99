/** Loads the addon: the local build (`npm run build:cuda`) if there is one, else that of this platform's package. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

const PLATFORM = `${process.platform}-${process.arch}`;

/** @throws the error of `require`: no addon for this platform, or one that cannot be loaded, and why */
export function loadAddon() {
  const built = `./${PLATFORM}/sparlane_cuda.node`;
  try {
    return require(built);
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    return require(`@sparlane/cuda-${PLATFORM}`);
  }
}
