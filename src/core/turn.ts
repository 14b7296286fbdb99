/** Lets everything that waits for the event loop run: timers, messages, other promises. */

/** Node's own function, and elsewhere a message, because browsers delay repeated timers by 4 ms. */
export function turn(): Promise<void> {
  const { setImmediate } = globalThis as { readonly setImmediate?: (done: () => void) => unknown };
  return new Promise((resolve) => {
    if (setImmediate !== undefined) setImmediate(resolve);
    else messageToSelf(resolve);
  });
}

function messageToSelf(done: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    done();
  };
  port2.postMessage(undefined);
}
