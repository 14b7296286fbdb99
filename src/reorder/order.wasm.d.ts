/** The module of `assembly/order/order.ts` in base64, written by `scripts/build-kernels.mjs`. */
export const ORDER_WASM: string;
