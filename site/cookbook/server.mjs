import { once } from 'node:events';
import { createServer } from 'node:http';
import { createAsyncEngine } from 'sparlane/async';

// Temperatures of a plate for the heat source that a request names; the engine is in a thread of its own.
const engine = await createAsyncEngine();
const solver = await engine.solver({ gallery: 'gallery:laplace2d5?nx=60&ny=60' }, { rtol: 1e-10 });
const server = createServer(async (request, response) => {
  const source = Number(new URL(request.url, 'http://localhost').searchParams.get('source'));
  const b = new Float64Array(solver.rows);
  b[source] = 1;
  const { x, converged } = await solver.solve(b);
  response.writeHead(converged ? 200 : 503).end(x[source].toFixed(6));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

// Sixteen requests at once share the engine in slices of 5 ms; meanwhile the event loop turns.
const { port } = server.address();
let turns = 0;
const timer = setInterval(() => turns++, 1);
const sources = Array.from({ length: 16 }, (_, k) => 60 * 30 + 2 + 3 * k);
const answers = await Promise.all(
  sources.map(async (source) => (await fetch(`http://127.0.0.1:${port}/?source=${source}`)).text()),
);
clearInterval(timer);
console.log('answers:', answers.length, 'the event loop turned meanwhile:', turns > 0);
console.log('near the edge', answers[0], 'in the middle', answers[9]);
server.close();
await engine.dispose();
