/** The modules of the complex kernels in base64, written by `scripts/build-kernels.mjs`. */
export const SIMD_WASM: string;
export const RELAXED_SIMD_WASM: string;
