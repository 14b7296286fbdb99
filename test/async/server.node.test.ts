/** The example of a server: real requests over HTTP, solved by the engine in a thread. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AsyncEngine, createAsyncEngine } from '#dist/async/index.node.js';
import { gallery } from '#dist/index.node.js';
import { heatServer } from '../../examples/server/server.mjs';
import { relativeResidual } from '../solvers/residual.js';

const MATRIX = gallery('laplace2d5', { nx: 150, ny: 150 });
const CLIENTS = 16;

/** A connection that `fetch` opened and did not need would keep the server from closing for a minute. */
async function closed(server: Awaited<ReturnType<typeof heatServer>>): Promise<void> {
  server.server.closeAllConnections();
  await server.close();
}

describe('examples/server', () => {
  let engine: AsyncEngine;
  let server: Awaited<ReturnType<typeof heatServer>>;
  let url: string;

  beforeAll(async () => {
    engine = await createAsyncEngine({ threads: 2 });
    server = await heatServer(engine, MATRIX);
    url = await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(async () => {
    await closed(server);
    await engine?.dispose();
  });

  const postTo = (server: string, body: Uint8Array<ArrayBuffer>) =>
    fetch(`${server}/solve`, { method: 'POST', body, headers: { 'content-type': 'application/octet-stream' } });
  const post = (body: Uint8Array<ArrayBuffer>) => postTo(url, body);

  const sources = (seed: number, { rows } = MATRIX) =>
    Float64Array.from({ length: rows }, (_, i) => Math.cos(i * seed));

  test('sixteen requests at once get their own solutions, and the event loop goes on turning', async () => {
    await fetch(`${url}/health`); // forgets the delays of the start
    const begin = performance.now();
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, k) => {
        const b = sources(k + 1);
        const response = await post(new Uint8Array(b.buffer));
        expect(response.status).toBe(200);
        const x = new Float64Array(await response.arrayBuffer());
        expect(relativeResidual(MATRIX, x, b)).toBeLessThan(1.01e-8);
      }),
    );
    const elapsed = performance.now() - begin;
    const { maxMs } = (await (await fetch(`${url}/health`)).json()) as { maxMs: number };
    // Solved in the event loop, a round of 16 blocks it for most of this time.
    expect(maxMs).toBeLessThan(elapsed / 3);
  });

  test('of a burst, as many are answered as may wait, the first ones early; the others are told at once when to come again', async () => {
    // A short queue: while so many bodies come in, some requests have been answered.
    const queue = 4;
    // This thread is the client and the server: a solve must take longer than it spends on a request.
    const matrix = gallery('laplace2d5', { nx: 220, ny: 220 });
    const rightSides = Array.from({ length: 7 }, (_, k) => sources(k + 1, matrix));
    await using engine = await createAsyncEngine({ threads: 1, queue });
    const server = await heatServer(engine, matrix);
    await using _ = { [Symbol.asyncDispose]: () => closed(server) };
    const url = await server.listen({ port: 0, host: '127.0.0.1' });
    // The solver keeps what one of these needed.
    for (const { buffer } of rightSides) await postTo(url, new Uint8Array(buffer));
    const { bytesInUse, byteLength } = await engine.status();
    const begin = performance.now();
    const ends = await Promise.all(
      Array.from({ length: 200 }, async (_, k) => {
        const b = rightSides[k % 7]!;
        const response = await postTo(url, new Uint8Array(b.buffer));
        const body = await response.arrayBuffer();
        return { k, b, response, body, ms: performance.now() - begin };
      }),
    );
    const allMs = performance.now() - begin;
    const answered = ends.filter(({ response }) => response.status === 200);
    const refused = ends.filter(({ response }) => response.status === 503);
    expect(answered.length + refused.length).toBe(200);
    expect(answered.length).toBeGreaterThanOrEqual(16 + queue);
    expect(refused.length).toBeGreaterThan(20);
    for (const { b, body } of answered.slice(0, 10))
      expect(relativeResidual(matrix, new Float64Array(body), b)).toBeLessThan(1.01e-8);
    for (const { response, body } of refused) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(JSON.parse(new TextDecoder().decode(body)).error).toMatch(/^engine: expected at most 4 requests to wait/);
    }
    // One after the other, and not all late together.
    const times = answered.map(({ ms }) => ms).sort((a, b) => a - b);
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(allMs / 5);
    expect(Math.min(...refused.map(({ ms }) => ms))).toBeLessThan(times[answered.length >> 1]!);
    // The memory of sixteen solves, some ten vectors each, and not of two hundred.
    const after = await engine.status();
    expect(after).toMatchObject({ open: 0, waiting: 0, bytesInUse });
    expect(after.byteLength - byteLength).toBeLessThan(2 * 16 * 16 * 8 * matrix.rows);
    expect((await postTo(url, new Uint8Array(rightSides[1]!.buffer))).status).toBe(200);
  });

  test('a wrong request is answered with what was expected', async () => {
    const response = await post(new Uint8Array(8));
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: `body: expected ${MATRIX.rows * 8} bytes, got 8` });
  });

  test('a client that goes ends its solve', async () => {
    const { bytesInUse } = await engine.status();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    const body = Buffer.from(sources(1).buffer);
    const head = `POST /solve HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\nContent-Length: ${body.length}\r\n\r\n`;
    socket.write(head);
    socket.write(body, () => setTimeout(() => socket.destroy(), 5));
    await once(socket, 'close');
    // The engine is free again for the next one, and nothing is left.
    expect((await post(new Uint8Array(sources(2).buffer))).status).toBe(200);
    expect((await engine.status()).bytesInUse).toBe(bytesInUse);
  });
});
