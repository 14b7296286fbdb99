/** The script of a compute thread of Node. It is CommonJS for the reason in `async/worker.node.cts`. */
void import('./member.node.js');
