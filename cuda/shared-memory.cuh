/** Ranks open memory of each other's devices, in one process or in several: this file allocates it. */
#pragma once
#include <algorithm>
#include <vector>

#include "context.cuh"

namespace sparlane {

/**
 * Allocates blocks that other processes can open by a handle: those of a memory pool have none. Released blocks are kept until the context ends, because others may
 * have them open still, and are used again.
 */
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() {
    for (const Block& block : blocks_) cudaFree(block.data);
  }

  /** Returns a block of at least so many bytes, on the current device. */
  void* allocate(size_t bytes) {
    Block* best = nullptr;
    for (Block& block : blocks_) {
      if (!block.isUsed && block.bytes >= bytes && (best == nullptr || block.bytes < best->bytes)) best = &block;
    }
    if (best == nullptr) {
      Block made{nullptr, (bytes + UNIT - 1) / UNIT * UNIT, false};
      CUDA_CHECK(cudaMalloc(&made.data, made.bytes));
      best = &blocks_.emplace_back(made);
    }
    best->isUsed = true;
    return best->data;
  }

  void release(void* data) noexcept {
    const auto found = std::ranges::find(blocks_, data, &Block::data);
    if (found != blocks_.end()) found->isUsed = false;
  }

 private:
  /** Who opens a handle gets the whole unit in which the driver allocates: 2 MiB (CUDA C++ Programming Guide, Interprocess Communication). */
  static constexpr size_t UNIT = 2 << 20;

  struct Block {
    void* data;
    size_t bytes;
    bool isUsed;
  };
  std::vector<Block> blocks_;
};

}  // namespace sparlane
