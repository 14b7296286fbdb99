/**
 * Launches of kernels with attributes, and kernels that are launched before those in front of them have ended: such a kernel reads what does not
 * depend on them, its matrix, and waits for them before it reads a vector.
 *
 * Source: CUDA C++ Programming Guide, programmatic dependent launch. From compute capability 9.0 on; before, a kernel is launched when the others have
 *   ended.
 */
#pragma once
#include "context.cuh"

namespace sparlane {

/**
 * Waits for all kernels that were queued before this one, and lets the next one be launched. Loads through the pointer that it returns come after
 * the wait, through the read-only path too.
 */
template <class T>
__device__ __forceinline__ T* afterOthers(T* pointer) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
  asm volatile("" : "+l"(pointer)::"memory");
#endif
  return pointer;
}

/** Whether what is queued on the stream is recorded: then no kernel in front of a product writes its matrix. */
inline bool isRecorded(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
  return status == cudaStreamCaptureStatusActive;
}

/** One launch. */
class Launch {
 public:
  Launch(uint32_t blocks, uint32_t threads, cudaStream_t stream, size_t sharedBytes = 0) {
    config_.gridDim = blocks;
    config_.blockDim = threads;
    config_.dynamicSmemBytes = sharedBytes;
    config_.stream = stream;
    config_.attrs = attributes_;
  }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  cudaLaunchAttributeValue& add(cudaLaunchAttributeID id) {
    attributes_[config_.numAttrs].id = id;
    return attributes_[config_.numAttrs++].val;
  }

  /** For a kernel that calls `afterOthers` before it reads or writes what others write or read. */
  void early() {
    int device = 0, major = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    if (major >= 9) add(cudaLaunchAttributeProgrammaticStreamSerialization).programmaticStreamSerializationAllowed = 1;
  }

  template <class... Parameters, class... Arguments>
  void operator()(void (*kernel)(Parameters...), Arguments&&... arguments) const {
    CUDA_CHECK(cudaLaunchKernelEx(&config_, kernel, std::forward<Arguments>(arguments)...));
  }

 private:
  cudaLaunchConfig_t config_{};
  cudaLaunchAttribute attributes_[2] = {};
};

}  // namespace sparlane
