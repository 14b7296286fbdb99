/** The script of a thread that reads blocks, where the modules are not bundled. It is CommonJS for the reason in `async/worker.node.cts`. */
void import('./block-thread.node.js');
