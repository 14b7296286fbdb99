/** A server of a page on this machine, for browsers that tests and benchmarks start. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { text } from 'node:stream/consumers';

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.gz': 'application/gzip',
};

/** Returns a port that no server of this machine listens to at the moment. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/**
 * Serves a folder, and files from memory by path: `{ '/A/values': bytes }`.
 *
 * @param headers of every response, such as `ISOLATION` of `chromium.mjs`
 * @param received called with the text of each request by POST
 * @returns { url, close() }
 */
export async function serve(folder, headers, files = {}, received = undefined) {
  const server = createServer(async (request, response) => {
    const { url = '/' } = request;
    if (request.method === 'POST') {
      received?.(await text(request));
      response.writeHead(204, headers).end();
      return;
    }
    const { pathname } = new URL(url, 'http://localhost');
    const path = normalize(pathname === '/' ? '/index.html' : pathname);
    const body = files[path] ?? (await readFile(join(folder, path)).catch(() => undefined));
    const type = TYPES[extname(path)] ?? 'application/octet-stream';
    response.writeHead(body === undefined ? 404 : 200, { ...headers, 'Content-Type': type }).end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, close };
}
