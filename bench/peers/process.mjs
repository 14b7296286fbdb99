/** A running native peer: the other end of the protocol of peer.h. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryFolder } from './compile.mjs';
import { writeVectorFile } from './matrix-file.mjs';

const ARRAYS = { f64: Float64Array, f32: Float32Array };

/** Maximum length of a peer's stderr in an error. */
const REASON_LENGTH = 2000;

/** A peer that does not end when told to is terminated after this time, and killed after twice as long. `mpirun` terminates its ranks. */
const PATIENCE_MS = 2000;

let opened = 0;

/** `command` gets the path of a file of x, and returns the program and its arguments; `threads` is passed to OpenMP. */
export async function openProcess({ name, command, env = {}, dtype, threads, x }) {
  const prefix = join(temporaryFolder(), `peer-${opened++}`);
  const vectorFile = `${prefix}-x`;
  const productFile = `${prefix}-y`;
  writeVectorFile(x, vectorFile);
  const [program, ...args] = command(vectorFile);
  const child = start(name, program, args, environment(threads, env));
  const { setupMs, version } = await readiness(child).finally(() => rmSync(vectorFile));
  const askFor = async (verb, y) => {
    await child.ask(`${verb} ${productFile}`);
    const bytes = readFileSync(productFile);
    rmSync(productFile);
    y.set(new ARRAYS[dtype](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)));
  };
  return {
    setupMs,
    version,
    product: (y) => askFor('product', y),
    /** What the latest product gave, of a peer whose products are searches. */
    result: (y) => askFor('result', y),
    time: async (products, { cold = false } = {}) =>
      milliseconds(await child.ask(`${cold ? 'cold' : 'time'} ${products}`)),
    count: async () => Number(await child.ask('count')),
    /** Milliseconds of the latest solve that went to its set-up. */
    setup: async () => milliseconds(await child.ask('setup'))[0],
    again: async (what) => void JSON.parse(await child.ask(`again ${what}`)),
    read: async (reads) => milliseconds(await child.ask(`read ${reads}`)),
    close: () => child.end(),
  };
}

function milliseconds(line) {
  return line
    .trim()
    .split(' ')
    .map((ns) => Number(ns) / 1e6);
}

async function readiness(child) {
  const line = await child.answer();
  try {
    return JSON.parse(line);
  } catch {
    await child.end();
    throw new Error(`${child.name}: expected a line of JSON, got ${line}`);
  }
}

/** Threads are bound; a library with another kind of threads gets the same number. */
function environment(threads, more) {
  const number = String(threads);
  return { ...process.env, OMP_NUM_THREADS: number, OMP_PROC_BIND: 'true', OMP_DYNAMIC: 'false', ...more };
}

function start(name, program, args, env) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], env });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-REASON_LENGTH);
  });
  const ended = new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(said.trim() || `ended with ${signal ?? `status ${code}`}`));
  });
  // A write to a peer that has ended fails too; its exit is reported instead.
  child.stdin.on('error', () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${name}: ${await ended}`);
    return value;
  };
  return {
    name,
    answer,
    ask: (line) => {
      child.stdin.write(`${line}\n`);
      return answer();
    },
    end: async () => {
      child.stdin.end();
      // Open MPI passes the first signal on to its ranks, and would leave them running after the second one.
      const timers = ['SIGTERM', 'SIGKILL'].map((signal, k) =>
        setTimeout(() => child.kill(signal), (k + 1) * PATIENCE_MS),
      );
      await ended;
      timers.forEach(clearTimeout);
    },
  };
}
