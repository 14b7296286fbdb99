/** Lets a rank find a CUDA addon that is none. */
export function resolve(specifier, context, next) {
  if (specifier !== '@sparlane/cuda') return next(specifier, context);
  return { url: new URL('./addon.mjs', import.meta.url).href, shortCircuit: true };
}
