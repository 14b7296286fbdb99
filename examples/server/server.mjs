/**
 * Heat conduction as a service: `POST /solve` takes the heat sources of all nodes of a mesh, f64 one after the other, and answers their
 * temperatures. The engine is in a thread of its own, so other requests do not wait for a solve, and solves share the engine. What comes while
 * `QUEUE` requests wait is told to come again later: 503 with Retry-After.
 *
 * usage: node server.mjs [PORT]      (npm install sparlane fastify); `load.mjs` measures it
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import Fastify from 'fastify';
import { createAsyncEngine } from 'sparlane/async';

const NUMBERS = 'application/octet-stream';

/** A client waits for some 1.5 s at most, at 50 requests a second (`load.mjs`). */
export const QUEUE = 64;

/** @param engine of `createAsyncEngine` @param matrix a source of `engine.solver`: symmetric, of the mesh */
export async function heatServer(engine, matrix = { gallery: 'gallery:laplace2d5?nx=150&ny=150' }) {
  const solver = await engine.solver(matrix);
  const bytes = solver.rows * Float64Array.BYTES_PER_ELEMENT;
  const server = Fastify({ bodyLimit: bytes });
  server.addContentTypeParser(NUMBERS, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  /** Time of the latest solve, its wait included: as long as it takes until there is room again. */
  let latestMs = 0;
  server.setErrorHandler((error, _request, reply) => {
    if (error.code !== 'busy') return reply.send(error);
    const seconds = Math.max(1, Math.ceil(latestMs / 1000));
    return reply.code(503).header('Retry-After', seconds).send({ error: error.message });
  });

  server.post('/solve', async ({ body }, reply) => {
    if (body?.length !== bytes)
      return reply.code(400).send({ error: `body: expected ${bytes} bytes, got ${body?.length}` });
    const sources = numbersIn(body);
    const begin = performance.now();
    const { x, converged, reason } = await solver.solve(sources, { signal: whileOpen(reply.raw) });
    latestMs = performance.now() - begin;
    if (!converged) return reply.code(503).send({ error: `solve: ${reason}` });
    return reply.type(NUMBERS).send(Buffer.from(x.buffer, x.byteOffset, x.byteLength));
  });

  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  server.addHook('onClose', () => delay.disable());

  /** The delay of the event loop, in ms, since the last request for it; how many requests wait; memory. */
  server.get('/health', async () => {
    const { max, mean } = delay;
    const p99 = delay.percentile(99);
    delay.reset();
    const { open, waiting, bytesInUse } = await engine.status();
    const { rss } = process.memoryUsage();
    return { maxMs: max / 1e6, p99Ms: p99 / 1e6, meanMs: mean / 1e6, open, waiting, bytesInUse, rss };
  });
  return server;
}

/** The numbers of a body, in its memory if they are aligned there: what is copied is garbage, whose collection delays the event loop. */
function numbersIn({ buffer, byteOffset, byteLength }) {
  const isAligned = byteOffset % Float64Array.BYTES_PER_ELEMENT === 0;
  if (isAligned) return new Float64Array(buffer, byteOffset, byteLength / Float64Array.BYTES_PER_ELEMENT);
  return new Float64Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

/** A signal that ends the solve of a client that has gone. */
function whileOpen(response) {
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  return controller.signal;
}

if (import.meta.filename === process.argv[1]) {
  const engine = await createAsyncEngine({ queue: QUEUE });
  const server = await heatServer(engine);
  server.addHook('onClose', () => engine.dispose());
  const address = await server.listen({ port: Number(process.argv[2] ?? 3000), host: '127.0.0.1' });
  process.stdout.write(`${address}\n`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
}
