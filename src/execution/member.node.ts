/** The script of Piscina's workers. Piscina calls the default export of this module. */
import { serve } from './member.js';

/** Called only by Piscina, with `Orders`. */
const start: (orders: never) => void = serve;

// biome-ignore lint/style/noDefaultExport: Piscina's contract
export default start;
