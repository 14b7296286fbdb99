/** The loops of a conversion to inodes; their TypeScript, which defines them, is `src/formats/inode/loops.ts`. */
import { CountColumnsHeader, MarkRepeatedHeader, PlaceGroupsHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';

/** Units: rows. */
export function inode_repeated(header: MarkRepeatedHeader, operands: Operands, begin: u32, end: u32): void {
  for (let i = begin; i < end; i++) store<u8>(header.repeated + i, <u8>(i > 0 && isRepeated(header, i)));
}

/** Whether a row has the same columns as the row before. */
function isRepeated(header: MarkRepeatedHeader, row: u32): bool {
  const rowPtr = word(header.rowPtr, row);
  const rowBegin = load<u32>(rowPtr);
  const length = rowBegin - load<u32>(rowPtr - 4);
  if (load<u32>(rowPtr, 4) - rowBegin !== length) return false;
  const bytes = (<usize>length) << 2;
  const last = word(header.colIdx, rowBegin) + bytes;
  for (let at = last - bytes; at < last; at += 4) if (load<u32>(at) !== load<u32>(at - bytes)) return false;
  return true;
}

/** Units: groups. */
export function inode_count(header: CountColumnsHeader, operands: Operands, begin: u32, end: u32): void {
  for (let group = begin; group < end; group++) {
    const rowPtr = word(header.rowPtr, load<u32>(word(header.groupPtr, group)));
    const start = load<u32>(rowPtr);
    store<u32>(word(header.counts, group), load<u32>(rowPtr, 4) - start);
    store<u32>(word(header.valuePtr, group), start);
  }
}

/** Values of type S are stored as V. Units: groups. */
export function inode_place<S, V>(header: PlaceGroupsHeader, operands: Operands, begin: u32, end: u32): void {
  for (let group = begin; group < end; group++) {
    const first = load<u32>(word(header.groupPtr, group));
    const height = load<u32>(word(header.groupPtr, group), 4) - first;
    const rowBegin = load<u32>(word(header.rowPtr, first));
    const columns = load<u32>(word(header.rowPtr, first), 4) - rowBegin;
    const colIdx = word(header.colIdx, load<u32>(word(header.colPtr, group)));
    memory.copy(colIdx, word(header.columns, rowBegin), (<usize>columns) << 2);
    const start = load<u32>(word(header.valuePtr, group));
    const last = load<u32>(word(header.valuePtr, group), 4);
    let real = header.reals + ((<usize>start) << alignof<S>());
    for (let row: u32 = 0; row < height; row++)
      for (let place = start + row; place < last; place += height, real += sizeof<S>())
        store<V>(header.values + ((<usize>place) << alignof<V>()), <V>load<S>(real));
  }
}
