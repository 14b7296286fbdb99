/** A graph that is distributed over ranks becomes a coarser one: a pair of vertices becomes one vertex, on the rank of one of the two. */
import { entryChunk } from '../../core/entries.js';
import type { Communicator } from '../communicator.js';
import { gatherBounds } from '../row-range.js';
import { rowsOfEntries } from '../send-entries.js';
import { hashOfPair } from './matching.js';
import { type PlaceValues, type RankGraph, rankGraph } from './rank-graph.js';

export interface Coarsening {
  readonly coarse: RankGraph;
  /** Returns the part of the vertex at each place of the fine graph. Together. @param coarsePart those of this rank's coarse vertices come first */
  project(coarsePart: Uint16Array): Uint16Array;
}

/** Makes the coarser graph. Together. @param partner the place of the partner of each own vertex, or its own place */
export function contract(comm: Communicator, fine: RankGraph, partner: Uint32Array): Coarsening {
  const { vertices, numbers, edgePtr, neighbours, edgeWeights, vertexWeights, spread } = fine;
  const leads = (v: number) => isLeader(numbers[v]!, numbers[partner[v]!]!);
  const leaders = Uint32Array.from({ length: vertices }, (_, v) => v).filter(leads);
  const bounds = gatherBounds(comm, leaders.length);
  const first = bounds[comm.rank]!;
  /** Gives each vertex that follows what its leader has. */
  const follow = <V extends PlaceValues>(values: V): V => {
    spread(values);
    for (let v = 0; v < vertices; v++) if (!leads(v)) values[v] = values[partner[v]!]!;
    spread(values);
    return values;
  };
  const coarseOf = new Float64Array(numbers.length);
  leaders.forEach((v, i) => {
    coarseOf[v] = first + i;
  });
  follow(coarseOf);
  const weights = Float64Array.from(leaders, (v) => {
    const other = partner[v]!;
    return vertexWeights[v]! + (other === v ? 0 : vertexWeights[other]!);
  });
  const entries = entryChunk('real', neighbours.length);
  for (let v = 0; v < vertices; v++) {
    const own = coarseOf[v]!;
    for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) {
      const other = coarseOf[neighbours[k]!]!;
      if (other === own) continue;
      entries.rowIdx[entries.used] = own;
      entries.colIdx[entries.used] = other;
      entries.values![entries.used++] = edgeWeights[k]!;
    }
  }
  const shape = { cols: bounds.at(-1)!, field: 'real', symmetry: 'general' } as const;
  return {
    coarse: rankGraph(comm, rowsOfEntries(comm, shape, bounds, entries), bounds, weights),
    project(coarsePart) {
      const part = new Uint16Array(numbers.length);
      leaders.forEach((v, i) => {
        part[v] = coarsePart[i]!;
      });
      return follow(part);
    },
  };
}

/** Whether a vertex leads its pair, so that its rank has the coarse vertex. A hash decides, so that ranks lead as many pairs. */
function isLeader(own: number, other: number): boolean {
  return own === other || own < other === (hashOfPair(own, other) & 1) > 0;
}
