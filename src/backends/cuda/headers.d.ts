/** The SHA-256 of `build/headers.h`, which the CUDA kernels of these sources are compiled with; written by `scripts/describe-kernels.mjs`. */
export const HEADERS: string;
