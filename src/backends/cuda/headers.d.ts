/**
 * This is the SHA-256 of `build/headers.h`, with which the CUDA kernels of these sources are compiled. `scripts/describe-kernels.mjs` writes it.
 */
export const HEADERS: string;
