/**
 * The lines of a coordinate file on a disk, by blocks: one is read while another one is parsed, on this thread, and more on others. Blocks
 * are taken in the order of the file. A line of rare form, or a wrong one, is read here, with the rest of its block: so the numbers
 * of lines, and errors, are those of one thread.
 */
import type { OpenDisk } from '../bytes/disk.js';
import { BlockRing } from './block-ring.js';
import { blockCount, endOf, linesOf, type TextBlocks, type WholeLines } from './blocks.js';
import type { CoordinateBody } from './coordinate.js';
import type { MatrixMarketHeader } from './header.js';
import type { LineScanner, ScannerParts } from './scanner.js';

/** What a thread gets. */
export interface BlockJob {
  readonly header: MatrixMarketHeader;
  readonly parts: ScannerParts;
  readonly blocks: TextBlocks;
  readonly ring: SharedArrayBuffer;
}

interface PendingLines {
  readonly block: number;
  readonly lines: Promise<WholeLines>;
}

/**
 * @param helpers how many other threads are started
 * @param tooLong the error for a line of so many bytes or more
 */
export async function readBlocks(
  body: CoordinateBody,
  scanner: LineScanner,
  { readAt, startThread, onRead, signal }: OpenDisk,
  blocks: TextBlocks,
  helpers: number,
  tooLong: (bytes: number) => Error,
): Promise<void> {
  const { header } = body;
  const count = blockCount(blocks);
  const ring = new BlockRing(blocks, header.field, helpers > 0);
  const changes = new Changes();
  const job: BlockJob = { header, parts: scanner.parts, blocks, ring: ring.memory };
  const threads = Array.from({ length: helpers }, () => startThread(job, changes.report));
  const hasThread = () => threads.some((thread) => thread !== undefined && !thread.hasEnded);

  // One is filled while the other one is parsed.
  let [buffer, other] = scanner.buffers;
  const load = (block: number): PendingLines => {
    const lines = linesOf(block, blocks, readAt, buffer);
    // An error is thrown where the lines are awaited.
    lines.catch(() => {});
    [buffer, other] = [other, buffer];
    return { block, lines };
  };
  const loadNext = (): PendingLines | undefined => {
    const block = ring.claim();
    return block === undefined ? undefined : load(block);
  };
  const parse = ({ text, tooLong: bytes }: WholeLines, begin: number): void => {
    body.read(text, begin);
    if (bytes > 0) throw tooLong(bytes);
  };

  try {
    let mine: PendingLines | undefined;
    for (let block = 0; block < count; ) {
      mine ??= loadNext();
      const read = ring.delivered(block);
      if (read !== undefined) {
        const begin = body.take(read);
        if (begin >= 0) parse(await linesOf(block, blocks, readAt, buffer), begin);
      } else if (mine !== undefined) {
        const { block: own, lines } = mine;
        const text = await lines;
        mine = loadNext();
        if (own !== block) {
          ring.deliver(own, scanner.readBlock(header, text, ring.slot(own)));
          continue;
        }
        parse(text, 0);
      } else if (hasThread()) {
        if (ring.mustWait(block)) await changes.next();
        continue;
      } else {
        // The thread that claimed it has ended.
        mine = load(block);
        continue;
      }
      onRead?.(endOf(block, blocks) - endOf(block - 1, blocks));
      signal?.throwIfAborted();
      ring.take(++block);
    }
  } finally {
    ring.stop();
    // The file is closed when nobody reads it.
    while (ring.isInUse && hasThread()) await changes.next();
    for (const thread of threads) thread?.release();
  }
}

/** Reports of other threads. */
class Changes {
  #resolve: (() => void) | undefined;

  readonly report = (): void => this.#resolve?.();

  /** The next one: what was reported before has been seen. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }
}
