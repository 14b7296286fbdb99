/** The module of `assembly/text/text.ts` in base64, written by `scripts/build-kernels.mjs`. */
export const TEXT_WASM: string;
