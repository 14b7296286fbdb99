/** The script of a compute thread of Node where the modules are not bundled. It is CommonJS for the reason in `async/worker.node.cts`. */
void import('./member.node.js');
