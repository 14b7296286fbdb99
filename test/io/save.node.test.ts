import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { saveStream } from '#dist/index.node.js';
import { writeMatrixMarket } from '#dist/io/matrix-market/writer.js';
import { runNode, temporaryFolder } from '../cli/run-cli.js';
import { bytesOf, failure, read } from './support.js';

const count = 50_000;
const lines = Array.from({ length: count }, (_, k) => `${k + 1} 1 ${Math.cos(k)}\n`).join('');
const text = `%%MatrixMarket matrix coordinate real general\n${count} 1 ${count}\n${lines}`;
const INDEX = new URL('../../dist/index.node.js', import.meta.url).href;
const onPosix = it.skipIf(process.platform === 'win32');

/** A text, piece by piece, then an error. */
function breaking(reason: Error): ReadableStream<Uint8Array> {
  let pulls = 0;
  return new ReadableStream({
    pull: (controller) => (pulls++ < 3 ? controller.enqueue(bytesOf('new\n')) : controller.error(reason)),
  });
}

describe('saveStream', () => {
  it('writes the stream, replacing an old file', async () => {
    const at = temporaryFolder();
    writeFileSync(at('b.mtx'), 'x'.repeat(text.length + 1));
    await saveStream(at('b.mtx'), writeMatrixMarket(await read(text)));
    expect(readFileSync(at('b.mtx'), 'utf8')).toBe(text);
    expect(readdirSync(at('.'))).toEqual(['b.mtx']);
  });

  it.each<[string, () => Parameters<typeof saveStream>[1]]>([
    ['bytes', () => bytesOf('text')],
    ['a Blob', () => new Blob(['te', 'xt'])],
    ['a Node stream', () => Readable.from([bytesOf('te'), bytesOf('xt')])],
    ['the body of a Response', () => new Response('text').body!],
  ])('takes %s', async (_, content) => {
    const path = temporaryFolder()('b.txt');
    await saveStream(path, content());
    expect(readFileSync(path, 'utf8')).toBe('text');
  });

  it('names the path that cannot be written, and cancels the stream', async () => {
    const path = temporaryFolder()('none/b.mtx');
    let cancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      cancel: () => {
        cancelled = true;
      },
    });
    const { code, message } = await failure(saveStream(path, stream));
    expect(code).toBe('argument');
    expect(message).toContain(`${path}: expected a file that can be written, got ENOENT`);
    await expect.poll(() => cancelled).toBe(true);
  });

  it('passes on an error of the stream unchanged, and leaves the old file', async () => {
    const at = temporaryFolder();
    writeFileSync(at('c.mtx'), 'old');
    const reason = Object.assign(new Error('broken'), { code: 'ECONNRESET', syscall: 'read' });
    await expect(saveStream(at('c.mtx'), breaking(reason))).rejects.toBe(reason);
    expect(readFileSync(at('c.mtx'), 'utf8')).toBe('old');
    expect(readdirSync(at('.'))).toEqual(['c.mtx']);
  });

  it('leaves no file if there was none when the stream breaks', async () => {
    const at = temporaryFolder();
    const reason = new Error('broken');
    await expect(saveStream(at('c.mtx'), breaking(reason))).rejects.toBe(reason);
    expect(readdirSync(at('.'))).toEqual([]);
  });

  it('does not touch the file before there is a new one', async () => {
    const path = temporaryFolder()('d.mtx');
    writeFileSync(path, 'old');
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield bytesOf('new ');
      expect(readFileSync(path, 'utf8')).toBe('old');
      yield bytesOf('text');
    }
    await saveStream(path, slow());
    expect(readFileSync(path, 'utf8')).toBe('new text');
  });

  it.each([
    ['nothing', undefined],
    ['a number', 5],
    ['text', 'text'],
    ['a plain object', {}],
    ['the function that makes the stream', writeMatrixMarket],
  ])('refuses %s for a stream, and opens nothing', async (_, stream) => {
    const at = temporaryFolder();
    writeFileSync(at('e.mtx'), 'old');
    const { code, message } = await failure(saveStream(at('e.mtx'), stream as never));
    expect(code).toBe('argument');
    expect(message).toMatch(/^stream: expected a Blob or File, a ReadableStream .*, got /);
    expect(readFileSync(at('e.mtx'), 'utf8')).toBe('old');
  });

  it('refuses a stream of text, and leaves the old file', async () => {
    const path = temporaryFolder()('e.mtx');
    writeFileSync(path, 'old');
    const { message } = await failure(saveStream(path, Readable.from(['text'])));
    expect(message).toBe("stream: expected pieces that are Uint8Array, got 'text'");
    expect(readFileSync(path, 'utf8')).toBe('old');
  });

  it('refuses a stream that another reads', async () => {
    const stream = writeMatrixMarket(await read(text));
    stream.getReader();
    const { code, message } = await failure(saveStream(temporaryFolder()('e.mtx'), stream));
    expect(code).toBe('argument');
    expect(message).toContain('stream: expected a stream that has no reader yet');
  });

  it('refuses an invalid path, and a folder', async () => {
    expect((await failure(saveStream(undefined as never, bytesOf('')))).message).toBe(
      'path: expected a string, got undefined',
    );
    const at = temporaryFolder();
    mkdirSync(at('f'));
    expect((await failure(saveStream(at('f'), bytesOf('')))).message).toBe(
      `${at('f')}: expected a file that can be written, got a directory`,
    );
  });

  onPosix('keeps the permissions of the file', async () => {
    const path = temporaryFolder()('g.mtx');
    for (const mode of [0o600, 0o664]) {
      writeFileSync(path, 'old');
      chmodSync(path, mode);
      await saveStream(path, bytesOf('new'));
      expect(statSync(path).mode & 0o777).toBe(mode);
    }
  });

  // Root may write everything.
  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')('does not replace a read-only file', async () => {
    const path = temporaryFolder()('g.mtx');
    writeFileSync(path, 'old', { mode: 0o400 });
    expect((await failure(saveStream(path, bytesOf('new')))).message).toContain('got EACCES');
    expect(readFileSync(path, 'utf8')).toBe('old');
  });

  onPosix('leaves a link a link, and writes the file that it points to', async () => {
    const at = temporaryFolder();
    mkdirSync(at('there'));
    writeFileSync(at('there/old.mtx'), 'old');
    symlinkSync('there/old.mtx', at('old'));
    symlinkSync('there/new.mtx', at('new'));
    for (const name of ['old', 'new']) {
      await saveStream(at(name), bytesOf(name.repeat(2)));
      expect(readlinkSync(at(name))).toBe(`there/${name}.mtx`);
      expect(lstatSync(at(`there/${name}.mtx`)).isFile()).toBe(true);
      expect(readFileSync(at(name), 'utf8')).toBe(name.repeat(2));
    }
    expect(readdirSync(at('there')).sort()).toEqual(['new.mtx', 'old.mtx']);
  });

  onPosix('writes into what is no file: a pipe, /dev/null', async () => {
    const at = temporaryFolder();
    execFileSync('mkfifo', [at('pipe')]);
    const saved = saveStream(at('pipe'), new Blob([text.slice(0, 200_000)]));
    const { stdout } = await runNode(['-e', `process.stdout.write(fs.readFileSync('${at('pipe')}'))`]);
    await saved;
    expect(stdout).toBe(text.slice(0, 200_000));
    expect(statSync(at('pipe')).isFIFO()).toBe(true);
    await saveStream('/dev/null', bytesOf('text'));
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  onPosix('writes to /dev/stdout, whatever that is, behind what was printed', () => {
    const at = temporaryFolder();
    const program = `import { saveStream } from '${INDEX}';
      process.stdout.write('printed\\n');
      await saveStream('/dev/stdout', new TextEncoder().encode('saved\\n'));`;
    writeFileSync(at('program.mjs'), program);
    const shell = (command: string) => spawnSync('sh', ['-c', command], { encoding: 'utf8', cwd: at('.') }).stdout;
    const node = `'${process.execPath}' program.mjs`;
    expect(shell(`${node} | cat`)).toBe('printed\nsaved\n');
    expect(shell(`${node} > out.txt; cat out.txt`)).toBe('printed\nsaved\n');
    expect(readdirSync(at('.')).sort()).toEqual(['out.txt', 'program.mjs']);
  });

  it.skipIf(process.platform !== 'linux')('says so when the disk is full', async () => {
    const { code, message } = await failure(saveStream('/dev/full', bytesOf('text')));
    expect(code).toBe('argument');
    expect(message).toContain('/dev/full: expected a file that can be written, got ENOSPC');
  });

  onPosix('takes a name as long as names may be', async () => {
    const at = temporaryFolder();
    const name = `${'x'.repeat(251)}.mtx`;
    await saveStream(at(name), bytesOf('text'));
    expect(readFileSync(at(name), 'utf8')).toBe('text');
  });

  onPosix('leaves another name of the file with the old text', async () => {
    const at = temporaryFolder();
    writeFileSync(at('a'), 'old');
    linkSync(at('a'), at('b'));
    await saveStream(at('a'), bytesOf('new'));
    expect([readFileSync(at('a'), 'utf8'), readFileSync(at('b'), 'utf8')]).toEqual(['new', 'old']);
  });
});
