/**
 * Blocks of vectors, for the kernels that multiply them: Y ← α A X + β Y, row-major, rows padded to whole strips of 16 bytes.
 *
 * A lane has a strip of a row of X and of Y, two f64 or four f32. Lanes side by side have a row; as many such teams (`slots`) as
 * there are lanes left share the entries of a row of A, if it has enough of them, and add up their sums:
 *
 *     k = 8 in f64, 4 strips   lane   0 1 2 3 | 4 5 6 7 | … | 28 29 30 31
 *     slots 1                  row    0         1             7               for rows of few entries
 *     slots 8                  entry  0, 8 …    1, 9 …        7, 15 …         of one row: entries are read in whole sectors
 *
 * A pass covers the columns of 32 strips; wider blocks take several passes over A. The padding of a row is computed with it: its
 * zeros give zeros. The order of a sum is fixed by the matrix and the number of columns.
 *
 * A block of complex vectors has two rows of X for a column of A, of real and of imaginary parts: a strip is one of each. A single complex vector
 * has one pair in a row: it is a strip, and all lanes of a team are slots.
 */
#pragma once
#include "device.cuh"

namespace sparlane {

template <class X>
struct Strip {
  /** Elements of a row. */
  static constexpr uint32_t WIDTH = IS_PAIR<X> ? 1 : 16 / sizeof(X);
  Number<X> at[WIDTH];
};

__device__ __forceinline__ Strip<double> stripAt(const double* place) {
  const double2 two = __ldg(reinterpret_cast<const double2*>(place));
  return {{two.x, two.y}};
}

__device__ __forceinline__ Strip<float> stripAt(const float* place) {
  const float4 four = __ldg(reinterpret_cast<const float4*>(place));
  return {{four.x, four.y, four.z, four.w}};
}

/** The same of memory that the kernel writes too. */
__device__ __forceinline__ Strip<double> writtenStrip(const double* place) {
  const double2 two = *reinterpret_cast<const double2*>(place);
  return {{two.x, two.y}};
}

__device__ __forceinline__ Strip<float> writtenStrip(const float* place) {
  const float4 four = *reinterpret_cast<const float4*>(place);
  return {{four.x, four.y, four.z, four.w}};
}

__device__ __forceinline__ void store(double* place, const Strip<double>& strip) {
  *reinterpret_cast<double2*>(place) = make_double2(strip.at[0], strip.at[1]);
}

__device__ __forceinline__ void store(float* place, const Strip<float>& strip) {
  *reinterpret_cast<float4*>(place) = make_float4(strip.at[0], strip.at[1], strip.at[2], strip.at[3]);
}

/** Complex numbers of their real and their imaginary parts. */
template <class T>
__device__ __forceinline__ Strip<Part<T>> numbersOf(const Strip<T>& re, const Strip<T>& im) {
  Strip<Part<T>> strip;
#pragma unroll
  for (uint32_t i = 0; i < Strip<T>::WIDTH; i++) strip.at[i] = {re.at[i], im.at[i]};
  return strip;
}

/** `stride`: as in `Division`. The two rows of real and of imaginary parts are half of it apart. */
template <class X>
__device__ __forceinline__ Strip<X> stripAt(const X* place, uint32_t stride) {
  if constexpr (!IS_COMPLEX<X>) {
    return stripAt(place);
  } else if constexpr (IS_PAIR<X>) {
    return {{__ldg(place)}};
  } else {
    const auto* const re = &place->value;
    return numbersOf(stripAt(re), stripAt(re + stride / 2));
  }
}

template <class X>
__device__ __forceinline__ Strip<X> writtenStrip(const X* place, uint32_t stride) {
  if constexpr (!IS_COMPLEX<X>) {
    return writtenStrip(place);
  } else if constexpr (IS_PAIR<X>) {
    return {{*place}};
  } else {
    const auto* const re = &place->value;
    return numbersOf(writtenStrip(re), writtenStrip(re + stride / 2));
  }
}

template <class X>
__device__ __forceinline__ void store(X* place, const Strip<X>& strip, uint32_t stride) {
  if constexpr (!IS_COMPLEX<X>) {
    store(place, strip);
  } else if constexpr (IS_PAIR<X>) {
    *place = strip.at[0];
  } else {
    Strip<Scalar<X>> re, im;
#pragma unroll
    for (uint32_t i = 0; i < Strip<X>::WIDTH; i++) {
      re.at[i] = strip.at[i].re;
      im.at[i] = strip.at[i].im;
    }
    store(&place->value, re);
    store(&place->value + stride / 2, im);
  }
}

/** sum + value · x */
template <class X, class Value>
__device__ __forceinline__ void addTo(Strip<X>& sum, const Value& value, const Strip<X>& x) {
#pragma unroll
  for (uint32_t i = 0; i < Strip<X>::WIDTH; i++) addProduct(sum.at[i], value, x.at[i]);
}

template <class X>
__device__ __forceinline__ void addTo(Strip<X>& sum, const Strip<X>& other) {
#pragma unroll
  for (uint32_t i = 0; i < Strip<X>::WIDTH; i++) sum.at[i] += other.at[i];
}

/** y ← α sum + β y, for a strip. β = 0 does not read y. */
template <class X>
__device__ __forceinline__ void putStrip(X* y, uint32_t stride, Strip<X> sum, Scalar<X> alpha, Scalar<X> beta) {
#pragma unroll
  for (uint32_t i = 0; i < Strip<X>::WIDTH; i++) sum.at[i] *= alpha;
  if (beta != Scalar<X>{0}) addTo(sum, beta, writtenStrip(y, stride));
  store(y, sum, stride);
}

/** How the lanes of a warp divide a pass. */
struct Division {
  /** Elements from the row of X of a column to that of the next one, and of Y likewise. */
  uint32_t stride;
  /** Strips of the pass, 1 to 32, and log2 of the lanes for them. */
  uint32_t strips, stripShift;
  /** log2 of the slots. */
  uint32_t slotShift;

  __host__ __device__ __forceinline__ uint32_t teamShift() const { return stripShift + slotShift; }
  __device__ __forceinline__ uint32_t strip() const { return threadIdx.x & ((1u << stripShift) - 1); }
  __device__ __forceinline__ uint32_t slot() const { return threadIdx.x >> stripShift & ((1u << slotShift) - 1); }
  /** Whether the lane has a strip: the number of strips need not be a power of two. */
  __device__ __forceinline__ bool hasStrip() const { return strip() < strips; }
};

/** The sum over the slots of a row, in the lanes of the first one. All lanes of the warp must call this. */
template <class X>
__device__ __forceinline__ void addSlots(Strip<X>& sum, const Division& by) {
  for (uint32_t step = 1u << by.teamShift() >> 1; step >= 1u << by.stripShift; step >>= 1) {
#pragma unroll
    for (uint32_t i = 0; i < Strip<X>::WIDTH; i++) sum.at[i] += __shfl_down_sync(0xffffffffu, sum.at[i], step);
  }
}

/** Strips of a pass. */
constexpr uint32_t PASS = WARP;

/** Rows of X for a column of A, and of Y for a row. */
template <class X>
constexpr uint32_t ROWS_OF_PARTS = IS_COMPLEX<X> && !IS_PAIR<X> ? 2 : 1;

/** Elements of the sums of a row in a pass, as they are kept between kernels. */
template <class X>
constexpr uint32_t KEPT = IS_PAIR<X> ? 1 : PASS* Strip<X>::WIDTH* ROWS_OF_PARTS<X>;

/**
 * Calls `run(division, first)` for each pass over blocks of rows of `stride` elements; `first`: the first element of its rows.
 * `mostSlotShift(strips)`: log2 of the most slots in a pass of that many strips.
 */
template <class X, class SlotShift, class Run>
void forEachPass(uint32_t stride, SlotShift&& mostSlotShift, Run&& run) {
  for (uint32_t first = 0; first < stride; first += PASS * Strip<X>::WIDTH) {
    const uint32_t strips = std::min(PASS, (stride - first) / Strip<X>::WIDTH);
    uint32_t stripShift = 0;
    while (1u << stripShift < strips) stripShift++;
    run(Division{stride * ROWS_OF_PARTS<X>, strips, stripShift, std::min(mostSlotShift(strips), 5 - stripShift)}, first);
  }
}

/** A plan for blocks of vectors; or for a single complex one, as a block of rows of one pair. */
template <class X>
class BlockPlan : public Plan {
 public:
  void run(cudaStream_t stream, const void* x, void* y, double alpha, double beta) final {
    if (!IS_PAIR<X>) throw Failure{"argument", "stride: expected that of blocks of vectors, got 1"};
    runBlocks(stream, x, y, 1, alpha, beta);
  }
};

}  // namespace sparlane
