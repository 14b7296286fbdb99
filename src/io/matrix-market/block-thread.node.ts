/** A thread that reads blocks of files, one file after the other: of each until no block is left, or the reader has stopped. */
import { parentPort } from 'node:worker_threads';
import { readNow } from '../read-now.node.js';
import { BlockRing } from './block-ring.js';
import { linesOf } from './blocks.js';
import type { BlockJob } from './read-blocks.js';
import { LineScanner } from './scanner.js';

/** What it gets; it answers `read` after a block that the reader waits for, and `left` at the end of the file. */
export interface BlockMessage {
  readonly descriptor: number;
  readonly job: BlockJob;
}

let scanner: LineScanner | undefined;

parentPort!.on('message', ({ descriptor, job }: BlockMessage) => readFile(descriptor, job));

async function readFile(descriptor: number, { header, parts, blocks, ring: memory }: BlockJob): Promise<void> {
  const ring = new BlockRing(blocks, header.field, memory);
  try {
    if (!ring.enter()) return;
    try {
      scanner ??= new LineScanner(parts);
      const readAt = async (target: Uint8Array, position: number) => readNow(descriptor, target, position);
      for (let block = ring.claimLater(); block !== undefined; block = ring.claimLater()) {
        const lines = await linesOf(block, blocks, readAt, scanner.buffers[0]);
        ring.deliver(block, scanner.readBlock(header, lines, ring.slot(block)));
        if (ring.takeWait()) parentPort!.postMessage('read');
      }
    } finally {
      ring.leave();
    }
  } finally {
    parentPort!.postMessage('left');
  }
}
