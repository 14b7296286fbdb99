/** Carries (`carries.cuh`): the second kernel, a group of threads for each shared row. Bound by its launch, some 2 µs. */
#include "carries.cuh"

namespace sparlane {

namespace {

constexpr int THREADS = 256;

/** Threads for a row of few carries. */
constexpr int GROUP = 8;

/** Maximum for a row of few carries: 16 for each thread of a group. */
constexpr uint32_t FEW = 16 * GROUP;

/** Adds the carries of each row with SPAN threads per row: a group of lanes, or the block. */
template <int SPAN, class X>
__global__ void __launch_bounds__(THREADS)
    addCarries(const SharedRow* shares, uint32_t length, const X* carries, X* y, Scalar<X> alpha) {
  const uint32_t place = (blockIdx.x * THREADS + threadIdx.x) / SPAN;
  const SharedRow share = place < length ? shares[place] : SharedRow{0, 0, 0};
  X sum{0};
#pragma unroll 4
  for (uint32_t i = threadIdx.x % SPAN; i < share.count; i += SPAN) sum += carries[share.first + i];
  sum = sumOfGroup < SPAN < WARP ? SPAN : WARP > (sum);
  if constexpr (SPAN > WARP) {
    __shared__ X sums[THREADS / WARP];
    if (threadIdx.x % WARP == 0) sums[threadIdx.x / WARP] = sum;
    __syncthreads();
    sum = threadIdx.x < THREADS / WARP ? sums[threadIdx.x] : X{0};
    sum = sumOfGroup<THREADS / WARP>(sum);
  }
  if (threadIdx.x % SPAN == 0 && place < length) y[share.row] += alpha * sum;
}

template <int SPAN, class X>
void queue(cudaStream_t stream, const DeviceArray<SharedRow>& shares, const X* carries, X* y, Scalar<X> alpha) {
  const auto length = static_cast<uint32_t>(shares.length());
  if (length == 0) return;
  addCarries<SPAN><<<divideUp(uint64_t{length} * SPAN, THREADS), THREADS, 0, stream>>>(shares.data(), length, carries, y, alpha);
  CHECK_LAUNCH("carries");
}

}  // namespace

template <class X>
Carries<X>::Carries(const Request& request, Plan& plan, std::span<const uint32_t> openRows)
    : carries_(request.room<X>(plan, openRows.size())) {
  std::vector<SharedRow> few, many;
  const auto blocks = static_cast<uint32_t>(openRows.size());
  for (uint32_t first = 0; first < blocks;) {
    const uint32_t row = openRows[first];
    uint32_t end = first + 1;
    while (row != NO_ROW && end < blocks && openRows[end] == row) end++;
    if (row != NO_ROW) (end - first > FEW ? many : few).push_back({row, first, end - first});
    first = end;
  }
  few_ = request.upload(plan, std::span(few));
  many_ = request.upload(plan, std::span(many));
}

template <class X>
void Carries<X>::add(cudaStream_t stream, X* y, Scalar<X> alpha) const {
  queue<GROUP>(stream, few_, carries_.data(), y, alpha);
  queue<THREADS>(stream, many_, carries_.data(), y, alpha);
}

template class Carries<float>;
template class Carries<double>;
template class Carries<Complex<float>>;
template class Carries<Complex<double>>;

}  // namespace sparlane
