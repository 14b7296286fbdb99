/**
 * Sixteen clients at a time ask the server of `server.mjs` to solve, for some seconds: with the engine in its event loop, in slices of the
 * event loop, and in a thread. Prints for each the throughput, the latency, and the delay of the server's event loop.
 *
 * usage: node load.mjs [SECONDS]      (npm install sparlane fastify autocannon); default 5
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import autocannon from 'autocannon';
import { createEngine, createSolver, gallery, parseGalleryUrl } from 'sparlane';
import { createAsyncEngine } from 'sparlane/async';
import { heatServer } from './server.mjs';

const CLIENTS = 16;

/** The engines to compare, with what `heatServer` uses of them. */
const ENGINES = {
  'in the event loop': () => synchronous('solve'),
  'in slices': () => synchronous('solveAsync'),
  'in a thread': () => createAsyncEngine(),
};

async function synchronous(method) {
  const engine = await createEngine();
  return {
    solver({ gallery: url }) {
      const { name, given } = parseGalleryUrl(url);
      const solver = createSolver(engine, gallery(name, given));
      const solve = async (b, options) => {
        const { x, ...solution } = await solver[method](b, options);
        const numbers = x.toArray();
        x.dispose();
        return { ...solution, x: numbers };
      };
      return { rows: solver.rows, solve };
    },
    dispose: () => engine.dispose(),
  };
}

async function serve(name) {
  const engine = await ENGINES[name]();
  const server = await heatServer(engine);
  process.send(await server.listen({ port: 0, host: '127.0.0.1' }));
}

/** @returns the figures of one engine */
async function measure(name, seconds) {
  const server = fork(import.meta.filename, ['--serve', name]);
  try {
    const [url] = await once(server, 'message');
    const body = Buffer.from(Float64Array.from({ length: 150 * 150 }, (_, node) => Math.sin(node)).buffer);
    const load = (duration) =>
      autocannon({
        ...{ url: `${url}/solve`, method: 'POST', body, headers: { 'content-type': 'application/octet-stream' } },
        ...{ connections: CLIENTS, duration, timeout: 60 },
      });
    await load(1);
    const health = async () => (await fetch(`${url}/health`)).json();
    await health();
    const { requests, latency, non2xx, errors } = await load(seconds);
    const { maxMs, p99Ms } = await health();
    return {
      'requests/s': (requests.total / seconds).toFixed(1),
      'latency, median (ms)': latency.p50,
      'latency, 99 % (ms)': latency.p99,
      'event loop, 99 % (ms)': p99Ms.toFixed(1),
      'event loop, worst (ms)': maxMs.toFixed(1),
      failed: non2xx + errors,
    };
  } finally {
    server.kill();
  }
}

const [first, second] = process.argv.slice(2);
if (first === '--serve') await serve(second);
else {
  const figures = {};
  for (const name of Object.keys(ENGINES)) figures[name] = await measure(name, Number(first ?? 5));
  // biome-ignore lint/suspicious/noConsole: the result of a program
  console.table(figures);
}
