/**
 * The peers: other libraries, and plain loops, that take turns with ours. Each is
 *
 *   { name, language: 'native' | 'javascript', dtypes, threads: 'many' | 'one', missing(), open(options) }
 *
 * missing() returns why the peer is not available here, or undefined. open({ matrix, matrixFile, dtype, threads, x })
 * resolves to
 *
 *   { setupMs, version, product(y), time(products, { cold }), close() }
 *
 * product computes y = A x and stores it in y; time resolves to the milliseconds of each product, taken around the
 * library's own call, cold ones with the caches full of other data; close resolves when a process has ended. A native
 * peer is a process, and reads `matrixFile` (`writeMatrixFile`), not `matrix`; a JavaScript peer the other way round.
 * `tune` lets librsb's tuner search for a better structure as a part of the setup.
 */
import { JAVASCRIPT } from './javascript.mjs';
import { NATIVE } from './native.mjs';

export { temporaryFolder } from './compile.mjs';
export { writeMatrixFile } from './matrix-file.mjs';

export const PEERS = [...NATIVE, ...JAVASCRIPT];
