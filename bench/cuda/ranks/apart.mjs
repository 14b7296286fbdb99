/** The same ranks on devices that are told not to reach each other: halos and sums go through the host, as between processes. */
import { register } from 'node:module';

const source = (text) => `data:text/javascript,${encodeURIComponent(text)}`;

// The addon's URL with a query is another module for the hook, and the same addon.
const real = JSON.stringify(`${import.meta.resolve('@sparlane/cuda')}?real`);
const wrapped = source(`
import { loadAddon as loadReal } from ${real};
const addon = { ...loadReal(), reaches: () => false };
export const loadAddon = () => addon;`);

register(
  source(`
export function resolve(specifier, context, next) {
  if (specifier !== '@sparlane/cuda') return next(specifier, context);
  return { url: ${JSON.stringify(wrapped)}, shortCircuit: true };
}`),
);

export { main } from './program.mjs';
