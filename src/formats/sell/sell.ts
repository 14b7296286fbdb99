import { resolveParameters } from '../../core/parameters.js';
import type { Format } from '../format.js';
import { workspaceFor } from '../layout/workspace.js';
import { SORT_SCOPE } from './chunks.js';
import { chunksOf, parameters, sellDescription } from './description.js';
import { storeChunks } from './stored-hyb.js';

export const sell: Format = {
  ...sellDescription,
  summary: 'SELL-C-σ: C rows side by side, sorted within σ; hub rows apart',
  source: 'Kreutzer et al. 2014; Anzt et al. 2014 (SELL-P)',
  suits: 'rows of similar length: stencils, meshes',
  variants: [
    'sell',
    'sell?chunkHeight=4',
    'sell?index=16',
    'sell?values=table',
    'sell?sortScope=64&index=16&values=table',
  ],
  fromCsr(heap, matrix, dtype, given, { runLoop } = {}) {
    const resolved = resolveParameters('sell', parameters, given);
    using workspace = workspaceFor(heap, matrix, runLoop);
    const chunks = chunksOf(matrix, resolved, workspace);
    const sortScope = resolved.sortScope === 0 && chunks.rowOf !== undefined ? SORT_SCOPE : resolved.sortScope;
    const request = { name: 'sell', parameters, resolved: { ...resolved, sortScope } };
    return storeChunks(heap, matrix, dtype, chunks, request, workspace);
  },
};
