/** The start of the asynchronous engine. */
import { abortSignal, callback, integer, object } from '../core/checks.js';
import type { EngineOptions } from '../engine/start-engine.js';
import type { WorkerLike } from './channel.js';
import { AsyncEngine, type CallerPlatform } from './engine.js';
import { Link } from './link.js';

/** `createAsyncEngine` takes these options. */
export interface AsyncEngineOptions extends EngineOptions {
  /**
   * Threads in addition to the caller's: 1 to 256. Default: the cores this process may use; in Node one less, if there are several, which is left
   * to the event loop.
   */
  threads?: number;
  /**
   * Requests that may wait while sixteen are open: one more is refused with the code `busy`, before anything of it is copied. Default 1024.
   */
  queue?: number;
  /**
   * The URL of the engine worker's script (`sparlane/worker`), or a worker that runs it. For bundlers that do not find
   * it.
   */
  worker?: URL | string | WorkerLike;
}

/** A burst, and not the work of minutes: of requests of 25 ms each, the last one waits for 26 s. */
const QUEUE = 1024;

/** Creates the asynchronous engine on a platform. `createAsyncEngine` describes it. */
export async function createAsyncEngineOn(
  platform: CallerPlatform,
  options: AsyncEngineOptions = {},
): Promise<AsyncEngine> {
  const { worker, member, wasm, signal, onHint = () => {}, queue = QUEUE, ...rest } = object('options', options);
  if (signal !== undefined) abortSignal('signal', signal);
  callback('onHint', onHint);
  integer('queue', queue);
  signal?.throwIfAborted();
  const { absolute } = platform;
  const args = {
    ...rest,
    ...(wasm !== undefined && { wasm: wasm instanceof WebAssembly.Module ? wasm : absolute('wasm', wasm) }),
    ...(member !== undefined && { member: absolute('member', member) }),
  };
  const link = new Link(platform.openChannel, worker, onHint, queue);
  try {
    return new AsyncEngine(link, await link.call('create', args, { signal }).result, platform, signal);
  } catch (error) {
    await link.close(error);
    throw error;
  }
}
