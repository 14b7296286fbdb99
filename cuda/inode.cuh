/** Common to the files of inodes: the header. */
#pragma once
#include "plan.cuh"

namespace sparlane {

/** `InodeHeader` in `assembly/inode.ts`. */
struct InodeHeader {
  /** First row, column and value of each group. */
  uint32_t groupPtr, colPtr, valuePtr;
  uint32_t colIdx, values;
  uint32_t groups;
};
static_assert(sizeof(InodeHeader) == 24);

}  // namespace sparlane
