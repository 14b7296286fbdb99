/** A thread that reads blocks of a file: until none is left, or the reader has stopped. */
import { readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { ReadAt } from '../bytes/disk.js';
import { BlockRing } from './block-ring.js';
import { blockCount, linesOf } from './blocks.js';
import type { BlockJob } from './read-blocks.js';
import { lineScanner } from './scanner.js';

const { descriptor, job } = workerData as { readonly descriptor: number; readonly job: BlockJob };
const { header, blocks } = job;

const readAt: ReadAt = async (target, position) => {
  let used = 0;
  while (used < target.length) {
    const count = readSync(descriptor, target, used, target.length - used, position + used);
    if (count === 0) break;
    used += count;
  }
  return used;
};

const ring = new BlockRing(blockCount(blocks), header.field, job.ring);
const scanner = await lineScanner();
if (scanner !== undefined && ring.enter()) {
  try {
    for (let block = ring.claimLater(); block !== undefined; block = ring.claimLater()) {
      const lines = await linesOf(block, blocks, readAt, scanner.buffers[0]);
      ring.deliver(block, scanner.readBlock(header, lines, ring.slot(block)));
      parentPort!.postMessage('read');
    }
  } finally {
    ring.leave();
    parentPort!.postMessage('left');
  }
}
