/** The device, its memory, and the parts of a plan, as declared in `context.cuh` and `plan.cuh`. */
#include <charconv>
#include <cstring>

#include "frames.cuh"
#include "plan.cuh"
#include "shared-memory.cuh"
#include "vectors/vector-program.cuh"

namespace sparlane {

namespace {

/** `CUDA_CHECK(cudaMalloc(&p, n))` names `cudaMalloc`. */
std::string nameOf(const char* call) { return std::string(call, std::strcspn(call, "(")); }

std::span<const char* const> parametersOf(const MethodEntry& method) {
  const auto end = std::ranges::find(method.parameters, nullptr);
  return {method.parameters, end};
}

/** `scalar | vector?width`. */
std::string listOf(std::span<const MethodEntry> methods) {
  std::string all;
  for (const auto& method : methods) {
    if (!all.empty()) all += " | ";
    all += method.name;
    char mark = '?';
    for (const char* parameter : parametersOf(method)) {
      all += mark + std::string(parameter);
      mark = '&';
    }
  }
  return all;
}

}  // namespace

void failCall(const char* call, cudaError_t error) {
  // Clear an error that is not sticky, so that it is not reported for the next launch.
  cudaGetLastError();
  throw Failure{error == cudaErrorMemoryAllocation ? "heap" : "backend",
                nameOf(call) + ": expected cudaSuccess, got " + cudaGetErrorName(error) + ": " + cudaGetErrorString(error)};
}

Clocks clocksOf(int device) {
  const auto ask = [device](cudaDeviceAttr attribute) {
    int value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
    return value;
  };
  return {ask(cudaDevAttrClockRate), ask(cudaDevAttrMemoryClockRate), ask(cudaDevAttrGlobalMemoryBusWidth)};
}

Context::Context(int device, bool isUrgent)
    : device(device), program_(std::make_unique<blas::VectorProgram>()), sharedMemory_(std::make_unique<SharedMemory>()) {
  enter();
  CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  rates = Rates::of(clocksOf(device), properties.l2CacheSize, properties.multiProcessorCount);
  int usual = 0, most = 0;
  CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&usual, &most));
  CUDA_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, isUrgent ? most : usual));
  CUDA_CHECK(cudaEventCreateWithFlags(&reached, cudaEventDisableTiming));
  for (auto& mark : marks) CUDA_CHECK(cudaEventCreate(&mark));
  cudaMemPoolProps props{};
  props.allocType = cudaMemAllocationTypePinned;
  props.location = {cudaMemLocationTypeDevice, device};
  CUDA_CHECK(cudaMemPoolCreate(&pool, &props));
  // Released memory is kept for the next matrix, up to a share of the device; `allocate` returns it if memory is short.
  uint64_t keep = properties.totalGlobalMem / 8;
  CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
}

Context::Context(const cudaDeviceProp& properties, const Rates& rates)
    : device(-1), properties(properties), rates(rates), program_(std::make_unique<blas::VectorProgram>()) {}

Context::~Context() {
  if (device < 0) return;
  cudaSetDevice(device);
  if (reductions_ != nullptr) release(reductions_);
  if (ranks_ != nullptr) release(ranks_);
  if (stream != nullptr) cudaStreamSynchronize(stream);
  if (pool != nullptr) cudaMemPoolDestroy(pool);
  for (const auto event : {reached, marks[0], marks[1]}) {
    if (event != nullptr) cudaEventDestroy(event);
  }
  if (stream != nullptr) cudaStreamDestroy(stream);
}

void Context::flush(bool isFollowed) {
  if (program_->isEmpty()) return;
  try {
    program_->clear(blas::launch(*this, *program_, isFollowed));
  } catch (...) {
    program_->clear(0);
    throw;
  }
}

void Context::enter() const { CUDA_CHECK(cudaSetDevice(device)); }

bool Context::share(const Context& other) {
  if (other.device == device || std::ranges::find(shared_, other.device) != shared_.end()) return true;
  int linked = 0;
  CUDA_CHECK(cudaDeviceCanAccessPeer(&linked, other.device, device));
  if (linked == 0) return false;
  cudaMemAccessDesc access{};
  access.location = {cudaMemLocationTypeDevice, other.device};
  access.flags = cudaMemAccessFlagsProtReadWrite;
  CUDA_CHECK(cudaMemPoolSetAccess(pool, &access, 1));
  shared_.push_back(other.device);
  return true;
}

void Context::waitFor(Context& other) {
  if (device != other.device) {
    refuseRecording("another device");
    other.refuseRecording("another device");
  }
  if (!other.isRecording_) refuseRecording("another queue");
  else if (!isRecording_) {
    flush();
    isRecording_ = true;
    other.joined_.push_back(this);
  }
  other.flush();
  other.enter();
  CUDA_CHECK(cudaEventRecord(other.reached, other.stream));
  enter();
  flush();
  CUDA_CHECK(cudaStreamWaitEvent(stream, other.reached, 0));
}

void Context::joinRanks(const RankSums& sums) {
  ranks_ = static_cast<RankSums*>(allocate(sizeof sums));
  CUDA_CHECK(cudaMemcpyAsync(ranks_, &sums, sizeof sums, cudaMemcpyHostToDevice, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
}

void Context::refuseRecording(const char* what) const {
  if (isRecording_) throw Failure{"argument", std::string("recording: expected an operation on the device, got ") + what};
}

void Context::beginRecording() {
  refuseRecording("another recording");
  // Allocated now, since nothing can be allocated during a recording.
  reductions();
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  isRecording_ = true;
}

std::pair<cudaGraphExec_t, Recorded> Context::endRecording() {
  std::optional<Failure> failed;
  try {
    flush();
  } catch (const Failure& failure) {
    failed = failure;
  }
  cudaGraph_t graph = nullptr;
  const cudaError_t outcome = cudaStreamEndCapture(stream, &graph);
  Recorded recorded;
  std::vector<Context*> all = std::exchange(joined_, {});
  all.push_back(this);
  for (Context* const context : all) {
    context->isRecording_ = false;
    std::ranges::move(std::exchange(context->recorded_, {}), std::back_inserter(recorded));
    for (void* const pointer : std::exchange(context->released_, {})) context->release(pointer);
  }
  if (outcome != cudaSuccess) failCall("cudaStreamEndCapture", outcome);
  if (failed) {
    cudaGraphDestroy(graph);
    throw *failed;
  }
  cudaGraphExec_t executable = nullptr;
  const cudaError_t instantiated = cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  if (instantiated != cudaSuccess) failCall("cudaGraphInstantiate", instantiated);
  return {executable, std::move(recorded)};
}

void* Context::allocate(size_t bytes) {
  refuseRecording("an allocation");
  if (bytes == 0) bytes = 1;
  void* pointer = nullptr;
  cudaError_t error = cudaMallocFromPoolAsync(&pointer, bytes, pool, stream);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaMemPoolTrimTo(pool, 0));
    error = cudaMallocFromPoolAsync(&pointer, bytes, pool, stream);
  }
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    size_t free = 0, total = 0;
    CUDA_CHECK(cudaMemGetInfo(&free, &total));
    throw Failure{"heap", "device memory: expected room for " + std::to_string(bytes) + " bytes, got " + std::to_string(free) +
                              " bytes free of " + std::to_string(total)};
  }
  if (error != cudaSuccess) failCall("cudaMallocFromPoolAsync", error);
  return pointer;
}

void Context::release(void* pointer) noexcept {
  if (isRecording_) {
    released_.push_back(pointer);
    return;
  }
  cudaSetDevice(device);
  cudaFreeAsync(pointer, stream);
}

void Heap::check(uint32_t offset, size_t bytes) const {
  if (offset > bytes_ || bytes > bytes_ - offset) {
    throw Failure{"argument", "header: expected arrays inside the heap of " + std::to_string(bytes_) + " bytes, got " +
                                  std::to_string(bytes) + " bytes at " + std::to_string(offset)};
  }
}

void Plan::runBlocks(cudaStream_t, const void*, void*, uint32_t, double, double) {
  throw Failure{"argument", "stride: expected 1 for a plan of vectors, got more"};
}

void Request::copy(void* target, const void* source, size_t bytes) const {
  queueCopy(target, source, bytes, cudaMemcpyHostToDevice, context->stream);
  // The inspector's arrays may be freed after this returns.
  CUDA_CHECK(cudaStreamSynchronize(context->stream));
}

Method::Method(std::string_view text, std::span<const MethodEntry> known) {
  const auto refuse = [&]() -> Failure {
    return {"argument", "method: expected " + listOf(known) + ", got '" + std::string(text) + "'"};
  };
  const auto query = text.find('?');
  const std::string_view name = text.empty() ? known.front().name : text.substr(0, query);
  const auto found = std::ranges::find_if(known, [&](const MethodEntry& one) { return one.name == name; });
  if (found == known.end()) throw refuse();
  name_ = name;
  const auto takes = [&](std::string_view key) {
    return std::ranges::any_of(parametersOf(*found), [&](const char* parameter) { return parameter == key; });
  };
  for (size_t begin = query == text.npos ? text.size() : query + 1; begin < text.size();) {
    const auto end = std::min(text.find('&', begin), text.size());
    const auto pair = text.substr(begin, end - begin);
    const auto equals = pair.find('=');
    if (equals == pair.npos || !takes(pair.substr(0, equals))) throw refuse();
    int value = 0;
    const auto digits = pair.substr(equals + 1);
    const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || last != digits.data() + digits.size()) throw refuse();
    given_.emplace_back(pair.substr(0, equals), value);
    begin = end + 1;
  }
}

int Method::get(std::string_view key, int byDefault, int min, int max) const {
  for (const auto& [name, value] : given_) {
    if (name != key) continue;
    if (value < min || value > max) {
      throw Failure{"argument", "method " + name_ + " " + name + ": expected an integer from " + std::to_string(min) + " to " +
                                    std::to_string(max) + ", got " + std::to_string(value)};
    }
    return value;
  }
  return byDefault;
}

}  // namespace sparlane
