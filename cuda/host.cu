/**
 * The host's memory: large pages, pinned ranges, and copies between host and device.
 *
 * A heap grows at its end, so it is pinned in consecutive ranges. They belong to the process, not to a device. A copy must not
 * cross the boundary of two ranges.
 */
#include <sys/mman.h>

#include <map>
#include <mutex>

#include "plan.cuh"

namespace sparlane {

namespace {

std::mutex lock;
/** Ends of pinned ranges, by their begins. */
std::map<uintptr_t, uintptr_t> pinned;

uintptr_t addressOf(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

/** Bytes from here to the end of the pinned range that contains this address, else to the begin of the next range. */
size_t bytesToSeam(uintptr_t here, size_t bytes) {
  const std::lock_guard hold(lock);
  const auto next = pinned.upper_bound(here);
  uintptr_t seam = next == pinned.end() ? here + bytes : next->first;
  if (next != pinned.begin()) {
    if (const uintptr_t end = std::prev(next)->second; end > here) seam = end;
  }
  return std::min(bytes, seam - here);
}

}  // namespace

void adviseHugePages(const void* base, size_t bytes) {
  // An error only costs speed.
  madvise(const_cast<void*>(base), bytes, MADV_HUGEPAGE);
}

void pin(const void* base, size_t bytes) {
  const std::lock_guard hold(lock);
  uintptr_t begin = addressOf(base);
  const uintptr_t end = begin + bytes;
  for (auto range = pinned.find(begin); range != pinned.end(); range = pinned.find(begin)) begin = range->second;
  if (begin >= end) return;
  CUDA_CHECK(cudaHostRegister(reinterpret_cast<void*>(begin), end - begin, cudaHostRegisterPortable));
  pinned.emplace(begin, end);
}

void unpin(const void* base, size_t bytes) {
  const std::lock_guard hold(lock);
  const auto last = pinned.lower_bound(addressOf(base) + bytes);
  for (auto range = pinned.lower_bound(addressOf(base)); range != last; range = pinned.erase(range))
    CUDA_CHECK(cudaHostUnregister(reinterpret_cast<void*>(range->first)));
}

void queueCopy(void* target, const void* source, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const uintptr_t host = addressOf(kind == cudaMemcpyHostToDevice ? source : target);
  for (size_t done = 0, step; done < bytes; done += step) {
    step = bytesToSeam(host + done, bytes - done);
    CUDA_CHECK(
        cudaMemcpyAsync(static_cast<uint8_t*>(target) + done, static_cast<const uint8_t*>(source) + done, step, kind, stream));
  }
}

}  // namespace sparlane
