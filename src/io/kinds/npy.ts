/** Arrays of NumPy. */
import { sparse, sparseOfAny } from './dense.js';
import type { FileKind } from './kind.js';

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

export const npy: FileKind = {
  name: 'npy',
  summary: 'vectors and dense blocks of NumPy',
  source: 'NumPy Enhancement Proposal 1',
  extensions: ['npy'],
  matches: (head) => MAGIC.every((byte, k) => head[k] === byte),
  read: async (file) => sparse(file.name, await (await import('../npy/npy.js')).readNpy(file, undefined, false)),
  readAny: async (file) => sparseOfAny(file.name, await (await import('../npy/npy.js')).readNpy(file, undefined, true)),
  readBlock: async (file, columns, takesComplex) =>
    (await import('../npy/npy.js')).readNpy(file, columns, takesComplex),
  writeBlock: async (block) => (await import('../npy/write.js')).writeNpy(block),
};
