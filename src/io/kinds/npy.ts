/** Arrays of NumPy. */
import { sparse } from './dense.js';
import type { FileKind } from './kind.js';

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

export const npy: FileKind = {
  name: 'npy',
  summary: 'vectors and dense blocks of NumPy',
  source: 'NumPy Enhancement Proposal 1',
  extensions: ['npy'],
  matches: (head) => MAGIC.every((byte, k) => head[k] === byte),
  read: async (file) => sparse(file.name, await (await import('../npy/npy.js')).readNpy(file, undefined)),
  readBlock: async (file, columns) => (await import('../npy/npy.js')).readNpy(file, columns),
  writeBlock: async (block) => (await import('../npy/write.js')).writeNpy(block),
};
