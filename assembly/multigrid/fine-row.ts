/** A fine row is made in a room (`union.ts`): these functions tell where its lists are there, and what the splitting says of a row. */
import { InterpolationHeader } from '../../build/headers';
import { word } from '../word';
import { ALONE } from './splitting';

/** The lists of a room, in which a row is made: rows of A, u32, and weights, f64, of which there are as many as columns. They are behind its union. */
@inline
export function colsOf(header: InterpolationHeader, room: usize): usize {
  return room + header.roomBytes - ((<usize>header.cols) << 2);
}

@inline
export function weightsOf(header: InterpolationHeader, room: usize): usize {
  return colsOf(header, room) - ((<usize>header.cols) << 3);
}

@inline
export function isCoarse(header: InterpolationHeader, row: u32): bool {
  return load<u32>(word(header.coarse, row)) < ALONE;
}
