/** The end of a rank under MPI. The ranks end together: one that ends while others go on, or by an error, says so in a line and ends all of them. */

import type { Meeting } from './meeting.js';
import type { MpiTransport } from './mpi-transport.js';
import { firstLine } from './rank-threads.node.js';

export function leaveAtExit(transport: MpiTransport, meeting: Meeting): void {
  const { native, watch, rank, size } = transport;
  let hasLeft = false;
  const leave = () => {
    hasLeft = true;
    try {
      meeting.meet('its end');
    } catch (error) {
      abort(`ended: ${firstLine(error)}`, 1);
      return;
    }
    native.finalize();
  };
  const abort = (what: string, code: number, stack = '') => {
    process.stderr.write(`sparlane: rank ${rank} of ${size} ${what}\n${stack}`);
    if (watch.problem !== undefined) watch.awaitEnds();
    native.abort(code);
  };
  let problem: Error | undefined;
  process.on('uncaughtExceptionMonitor', (error) => {
    problem = error;
  });
  // An end without an error or a call of process.exit, whatever its code.
  process.once('beforeExit', leave);
  process.once('exit', (code) => {
    if (hasLeft) return;
    if (code === 0) leave();
    else if (problem === undefined) abort(`ended with exit code ${code}`, code);
    // Node would print the stack after this.
    else abort(`ended: ${firstLine(problem)}`, code, `${problem.stack ?? ''}\n`);
  });
}
