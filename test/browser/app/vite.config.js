import { fileURLToPath } from 'node:url';

/** The tests reach behind the package's entries, as those in Node do. */
export default {
  resolve: { alias: { '#dist': fileURLToPath(new URL('./node_modules/sparlane/dist', import.meta.url)) } },
};
