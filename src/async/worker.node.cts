/**
 * The script of the thread that hosts the engine in Node (`host.node.ts`). It is CommonJS, because Node refuses an ES module as the script of a
 * thread where the program itself came from the command line (`--input-type`).
 */
void import('./host.node.js');
