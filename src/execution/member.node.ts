/** The script of Piscina's workers. Piscina calls the default export of this module. */
import { serve } from './member.js';

// biome-ignore lint/style/noDefaultExport: Piscina's contract
export default serve;
