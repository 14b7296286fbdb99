/**
 * Sixteen clients at a time ask the server of `server.mjs` to solve, for some seconds: with the engine in its event loop, in slices of the
 * event loop, and in a thread. Prints for each the throughput, the latency, and the delay of the server's event loop. Or many clients ask it
 * once, all at the same time: prints how many are answered and refused, and the memory before, meanwhile and afterwards.
 *
 * usage: node load.mjs [SECONDS] | burst [CLIENTS]      (npm install sparlane fastify autocannon); default 5, 300
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import autocannon from 'autocannon';
import { createEngine, createSolver, gallery, parseGalleryUrl } from 'sparlane';
import { createAsyncEngine } from 'sparlane/async';
import { heatServer, QUEUE } from './server.mjs';

const CLIENTS = 16;

/** The engines to compare, with what `heatServer` uses of them. */
const ENGINES = {
  'in the event loop': () => synchronous('solve'),
  'in slices': () => synchronous('solveAsync'),
  'in a thread': () => createAsyncEngine({ queue: QUEUE }),
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
    status: async () => ({ open: 0, waiting: 0, bytesInUse: engine.heap.bytesInUse }),
    dispose: () => engine.dispose(),
  };
}

async function serve(name) {
  const engine = await ENGINES[name]();
  const server = await heatServer(engine);
  process.send(await server.listen({ port: 0, host: '127.0.0.1' }));
}

/** Starts a server with this engine, and warms it up. @param use gets functions that load it and that ask for its health */
async function withServer(name, use) {
  const server = fork(import.meta.filename, ['--serve', name]);
  try {
    const [url] = await once(server, 'message');
    const body = Buffer.from(Float64Array.from({ length: 150 * 150 }, (_, node) => Math.sin(node)).buffer);
    const load = (options) =>
      autocannon({
        ...{ url: `${url}/solve`, method: 'POST', body, headers: { 'content-type': 'application/octet-stream' } },
        ...{ connections: CLIENTS, timeout: 60, ...options },
      });
    await load({ duration: 1 });
    const health = async () => (await fetch(`${url}/health`)).json();
    await health();
    return await use(load, health);
  } finally {
    server.kill();
  }
}

/** @returns the figures of one engine */
function measure(name, seconds) {
  return withServer(name, async (load, health) => {
    const { requests, latency, non2xx, errors } = await load({ duration: seconds });
    const { maxMs, p99Ms } = await health();
    return {
      'requests/s': (requests.total / seconds).toFixed(1),
      'latency, median (ms)': latency.p50,
      'latency, 99 % (ms)': latency.p99,
      'event loop, 99 % (ms)': p99Ms.toFixed(1),
      'event loop, worst (ms)': maxMs.toFixed(1),
      failed: non2xx + errors,
    };
  });
}

/** Time in which the server's memory is collected. */
const REST_MS = 5000;

/** All clients at once. @returns figures by name */
function burst(clients) {
  return withServer('in a thread', async (load, health) => {
    const megabytes = ({ bytesInUse, rss }) => `${(bytesInUse / 1e6).toFixed(0)}, ${(rss / 1e6).toFixed(0)}`;
    const before = await health();
    const most = { bytesInUse: 0, rss: 0 };
    const watch = setInterval(async () => {
      const now = await health();
      for (const name of Object.keys(most)) most[name] = Math.max(most[name], now[name]);
    }, 100);
    const begin = performance.now();
    const { latency, statusCodeStats, errors } = await load({ connections: clients, amount: clients });
    const ms = performance.now() - begin;
    clearInterval(watch);
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    const answered = Object.entries(statusCodeStats).map(([code, { count }]) => `${count} × ${code}`);
    return {
      answers: answered.join(', '),
      errors,
      'time of all (ms)': ms.toFixed(0),
      'latency, least, median, worst (ms)': `${latency.min}, ${latency.p50}, ${latency.max}`,
      'MB of the engine, of the process: before': megabytes(before),
      'at most': megabytes(most),
      afterwards: megabytes(await health()),
    };
  });
}

const [first, second] = process.argv.slice(2);
if (first === '--serve') await serve(second);
else if (first === 'burst') {
  // biome-ignore lint/suspicious/noConsole: the result of a program
  console.table(await burst(Number(second ?? 300)));
} else {
  const figures = {};
  for (const name of Object.keys(ENGINES)) figures[name] = await measure(name, Number(first ?? 5));
  // biome-ignore lint/suspicious/noConsole: the result of a program
  console.table(figures);
}
