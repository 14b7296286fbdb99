/**
 * Members of gzip as a page reads them. In Node 20, Node's own stream continues with the next member, and reports too
 * early that bytes are used up. So a stream that follows the standard replaces it.
 */
import { constants, gzipSync, inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { gunzip } from '#dist/io/bytes/gzip.js';
import { bytesOf, failure, pieces } from '../support.js';

/** The output of `gzipSync`. */
const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;

/** https://compression.spec.whatwg.org: all text is available when a write is done; bytes after the end are refused. */
class StandardDecompressionStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor() {
    let input = Buffer.alloc(0);
    let made = 0;
    let complete = false;
    super({
      transform(chunk, controller) {
        input = Buffer.concat([input, chunk]);
        const body = input.subarray(HEADER_BYTES);
        const options = { finishFlush: constants.Z_SYNC_FLUSH, info: true };
        const { buffer, engine } = inflateRawSync(body, options) as unknown as InflateInfo;
        for (; made < buffer.length; made += 100) controller.enqueue(new Uint8Array(buffer.subarray(made, made + 100)));
        made = buffer.length;
        const behind = body.length - engine.bytesWritten - TRAILER_BYTES;
        complete = behind === 0;
        if (behind > 0) throw new TypeError('bytes behind the end');
      },
      flush() {
        if (!complete) throw new TypeError('cut short');
      },
    });
  }
}

interface InflateInfo {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

async function textOf(bytes: Uint8Array, lengths: Iterable<number> = []): Promise<string> {
  let text = '';
  for await (const piece of gunzip(pieces(bytes, lengths) as ReturnType<typeof gunzip>, 'x')) {
    text += new TextDecoder().decode(piece);
  }
  return text;
}

const TEXT = Array.from({ length: 300 }, (_, k) => `${k} ${Math.sin(k)}\n`).join('');
const member = (text: string | Uint8Array, level = 6): Buffer => gzipSync(text, { level });

describe('gzip in a page', () => {
  beforeAll(() => void vi.stubGlobal('DecompressionStream', StandardDecompressionStream));
  afterAll(() => void vi.unstubAllGlobals());

  it('is one text in one member', async () => {
    expect(await textOf(member(TEXT))).toBe(TEXT);
    expect(await textOf(member(''))).toBe('');
  });

  it('two members are one text, wherever it is cut', async () => {
    const first = member(TEXT);
    const both = Buffer.concat([first, member('more')]);
    for (let cut = first.length - 20; cut <= both.length; cut++) {
      expect(await textOf(both, [cut]), `cut at ${cut}`).toBe(`${TEXT}more`);
    }
    expect(await textOf(both, Array(both.length).fill(1))).toBe(`${TEXT}more`);
  });

  it('is one text in many members, empty ones too', async () => {
    const texts = TEXT.split(/(?<=\n)/);
    const bytes = Buffer.concat(
      ['', ...texts.slice(0, 50), '', '', ...texts.slice(50), ''].map((text) => member(text)),
    );
    expect(await textOf(bytes)).toBe(TEXT);
    expect(await textOf(bytes, Array(bytes.length >> 3).fill(7))).toBe(TEXT);
  });

  it('does not mistake other bytes for a header', async () => {
    // Stored as it is: a gzip file within, the same behind zeros, and headers without end.
    const text = Buffer.concat([
      member('inner'),
      Buffer.alloc(8),
      member('inner'),
      ...Array(20).fill(member('').subarray(0, 4)),
    ]);
    const stored = member(text, 0);
    expect(stored.includes(text)).toBe(true);
    const expected = text.toString('latin1') + TEXT;
    let found = '';
    for await (const piece of gunzip(
      pieces(Buffer.concat([stored, member(TEXT)]), [60]) as ReturnType<typeof gunzip>,
      'x',
    )) {
      found += Buffer.from(piece).toString('latin1');
    }
    expect(found).toBe(expected);
  });

  it.each<[string, Uint8Array]>([
    ['cut short', member(TEXT).subarray(0, -1)],
    ['cut short in its second member', Buffer.concat([member(TEXT), member('more')]).subarray(0, -1)],
    ['followed by other bytes', Buffer.concat([member(TEXT), bytesOf('other bytes')])],
    ['followed by half a header', Buffer.concat([member(TEXT), member('').subarray(0, 3)])],
    ['followed by a header', Buffer.concat([member(TEXT), member('').subarray(0, 10)])],
  ])('is one clear error where it is %s', async (_, bytes) => {
    for (const lengths of [[], [bytes.length - 2], Array(bytes.length).fill(1)]) {
      const { code, message } = await failure(textOf(bytes, lengths));
      expect(code).toBe('parse');
      expect(message).toMatch(/^x: expected a complete gzip file, got one that is cut short or damaged \(.+\)$/);
    }
  });
});
