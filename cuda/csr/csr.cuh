/**
 * CSR on the device, for the files that compute with it: its header, its arrays, and entries read in pairs.
 *
 * A pair is the entries k and k + 1 of even k. Arrays are uploaded with the places after the last entry that may be read
 * (`READ_PAST` in `src/formats/csr/csr.ts`), so a pair is complete even if one entry of it is past the end: its column is valid,
 * and its product is not used.
 */
#pragma once
#include "device.cuh"

namespace sparlane {

/** Places of colIdx and values after the last entry. */
constexpr size_t READ_PAST = 4;

/** Neighbouring entries of which a warp reads a pair per lane. With 16-bit columns they have at most two bases. */
constexpr uint32_t ENTRY_GROUP = 2 * WARP;

/**
 * Columns as a kernel reads them. `load` reads a pair. `loadGroup` reads the bases of a group of entries, those of pair i in lane
 * i of a warp; `groupOf` broadcasts them to all lanes. `at` returns the columns of a pair.
 */
template <class I>
struct Columns;

template <>
struct Columns<uint32_t> {
  using Pair = uint2;
  struct Group {};
  const uint32_t* colIdx;
  __device__ __forceinline__ Pair load(uint32_t k) const { return stream(reinterpret_cast<const uint2*>(colIdx + k)); }
  __device__ __forceinline__ Group loadGroup(uint32_t) const { return {}; }
  __device__ __forceinline__ static Group groupOf(const Group&, int) { return {}; }
  __device__ __forceinline__ static uint2 at(const Pair& pair, const Group&) { return pair; }
};

/**
 * Bases of the 16-bit columns of a group of entries: `first`, and from some place of the group on `first` + delta.
 *
 *     step   31 … 7 delta, signed | 6 … 0 place, 64 if all entries have the base `first`
 */
struct alignas(8) Bases {
  uint32_t first;
  int32_t step;
  static constexpr int DELTA_SHIFT = 7;
  static constexpr int32_t PLACE = (1 << DELTA_SHIFT) - 1;
};

template <>
struct Columns<uint16_t> {
  using Pair = ushort2;
  using Group = Bases;
  const uint16_t* colIdx;
  const Bases* bases;
  __device__ __forceinline__ Pair load(uint32_t k) const { return stream(reinterpret_cast<const ushort2*>(colIdx + k)); }
  __device__ __forceinline__ Group loadGroup(uint32_t k) const {
    const uint2 words = stream(reinterpret_cast<const uint2*>(bases + k / ENTRY_GROUP));
    return {words.x, static_cast<int32_t>(words.y)};
  }
  __device__ __forceinline__ static Group groupOf(const Group& group, int lane) {
    return {__shfl_sync(0xffffffffu, group.first, lane), __shfl_sync(0xffffffffu, group.step, lane)};
  }
  __device__ __forceinline__ static uint2 at(const Pair& pair, const Group& group) {
    const int32_t place = 2 * (threadIdx.x % WARP);
    const int32_t change = group.step & Bases::PLACE;
    const uint32_t second = group.first + (group.step >> Bases::DELTA_SHIFT);
    return {pair.x + (place < change ? group.first : second), pair.y + (place + 1 < change ? group.first : second)};
  }
};

/** The columns on the device, with the bases of 16-bit columns. */
template <class I>
struct StoredColumns;

template <>
struct StoredColumns<uint32_t> {
  DeviceArray<uint32_t> colIdx;
  Columns<uint32_t> view() const { return {colIdx.data()}; }
};

template <>
struct StoredColumns<uint16_t> {
  DeviceArray<uint16_t> colIdx;
  DeviceArray<Bases> bases;
  Columns<uint16_t> view() const { return {colIdx.data(), bases.data()}; }
};

/** Values in pairs: `load` reads them as stored, k and k + APART; `at` converts them to factors. Only complex numbers are more than one place apart. */
template <class V, class X>
struct ValuePairs {
  using Pair = Two<V>;
  template <uint32_t APART = 1>
  __device__ __forceinline__ static Pair load(const Values<V, X>& values, uint32_t k) {
    if constexpr (APART > 1) return {values.read(k), values.read(k + APART)};
    else return stream(reinterpret_cast<const Pair*>(values.values + k));
  }
  __device__ __forceinline__ static Two<X> at(const Values<V, X>& values, const Pair& pair) {
    return {values.decode(pair.x), values.decode(pair.y)};
  }
};

template <class X>
struct ValuePairs<Coded, X> {
  using Pair = uchar2;
  template <uint32_t APART = 1>
  __device__ __forceinline__ static Pair load(const Values<Coded, X>& values, uint32_t k) {
    return stream(reinterpret_cast<const uchar2*>(values.values + k));
  }
  __device__ __forceinline__ static Two<X> at(const Values<Coded, X>& values, const Pair& pair) {
    return {values.decode(pair.x), values.decode(pair.y)};
  }
};

template <class X>
struct ValuePairs<Ones, X> {
  using Pair = Ones;
  template <uint32_t APART = 1>
  __device__ __forceinline__ static Pair load(const Values<Ones, X>&, uint32_t) {
    return {};
  }
  __device__ __forceinline__ static Two<X> at(const Values<Ones, X>&, const Pair&) { return {X{1}, X{1}}; }
};

/** Threads of a block that computes tiles, one at a time: a tile is a run of neighbouring entries. */
constexpr int TILE_THREADS = 256;
/** Entries of a thread. */
constexpr int TILE_ITEMS = 8;
constexpr int TILE_PAIRS = TILE_ITEMS / 2;
constexpr int TILE_WARPS = TILE_THREADS / WARP;
/** Entries of a tile, counted from a multiple of ENTRY_GROUP. */
constexpr uint32_t TILE_ROOM = TILE_THREADS * TILE_ITEMS;

/** The begin of the reads of a tile, aligned so that a warp reads whole lines. */
__host__ __device__ constexpr uint32_t tileBase(uint32_t begin) { return begin & ~(ENTRY_GROUP - 1); }

/**
 * A thread's pairs of a tile: the pairs of a warp are neighbours, those of a thread are TILE_THREADS apart. A thread without a
 * pair at a place reads the tile's last pair instead, so that loads need no condition. A tile has at least one entry.
 */
template <class V, class I, class X>
struct Share {
  typename Columns<I>::Pair columns[TILE_PAIRS];
  typename ValuePairs<V, X>::Pair values[TILE_PAIRS];
  /** Lane i has the group of pair i. */
  typename Columns<I>::Group group;

  /** The first entry of pair i, counted from the tile's base. */
  __device__ __forceinline__ static uint32_t place(int i) { return 2 * (i * TILE_THREADS + threadIdx.x); }

  __device__ __forceinline__ void load(const Columns<I>& c, const Values<V, X>& v, uint32_t begin, uint32_t end) {
    const uint32_t base = tileBase(begin);
    const uint32_t last = (end - 1) & ~1u;
#pragma unroll
    for (int i = 0; i < TILE_PAIRS; i++) {
      const uint32_t k = min(base + place(i), last);
      columns[i] = c.load(k);
      values[i] = ValuePairs<V, X>::load(v, k);
    }
    const uint32_t lane = threadIdx.x % WARP;
    group = c.loadGroup(min(base + 2 * (min(lane, TILE_PAIRS - 1) * TILE_THREADS + threadIdx.x - lane), last));
  }

  /** Reads the elements of x for the loaded columns. */
  __device__ __forceinline__ void gather(const X* x, Two<X> (&elements)[TILE_PAIRS]) const {
#pragma unroll
    for (int i = 0; i < TILE_PAIRS; i++) {
      const uint2 column = Columns<I>::at(columns[i], Columns<I>::groupOf(group, i));
      elements[i] = {__ldg(x + column.x), __ldg(x + column.y)};
    }
  }

  __device__ __forceinline__ Two<X> product(const Values<V, X>& v, int i, const Two<X>& elements) const {
    const Two<X> value = ValuePairs<V, X>::at(v, values[i]);
    return {value.x * elements.x, value.y * elements.y};
  }
};

/** The arrays for kernels that read one entry at a time. */
template <class V, class I, class X>
struct CsrView {
  const uint32_t* rowPtr;
  const I* colIdx;
  Values<V, X> values;
  /** The product of entry k; x is offset by the base of the columns. */
  __device__ __forceinline__ X product(uint32_t k, const X* x) const { return values.at(k) * __ldg(x + stream(colIdx + k)); }
};

template <class V, class I, class X>
struct CsrArrays {
  DeviceArray<uint32_t> rowPtr;
  DeviceArray<I> colIdx;
  StoredValues<V, X> values;
  CsrArrays(const Request& request, Plan& plan, const CsrHeader& header)
      : rowPtr(request.share<uint32_t>(plan, header.rowPtr, header.rows + size_t{1})),
        colIdx(request.share<I>(plan, header.colIdx, header.nnz + READ_PAST)),
        values(request, plan, header.values, header.table, header.nnz + READ_PAST) {}
  CsrView<V, I, X> view() const { return {rowPtr.data(), colIdx.data(), values.view()}; }
};

/** Columns, with the readable places after the last one. */
using Places = std::span<const uint32_t>;

inline Places columnsOf(const Request& request, const CsrHeader& header) {
  return request.heap.at<uint32_t>(header.colIdx, header.nnz + READ_PAST);
}

struct Candidate;

/** `stream` on columns of 32 bits. */
std::unique_ptr<Plan> makeStream(const Request& request, const CsrHeader& header, Places colIdx, int longestRun);

/** The methods that `csr` and `csrk` have in common. */
constexpr MethodEntry STREAM_METHOD{"stream", {"run"}}, PACKED_METHOD{"packed", {"entries", "bits", "clustered", "shared"}},
    HUBS_METHOD{"hubs", {"count", "warps"}}, WINDOWS_METHOD{"windows", {"columns", "entries", "groups"}};

/** Returns the candidate `hubs` (`hubs.cu`). The matrix is examined only if `hubs` may take less than `othersNs`. */
std::optional<Candidate> hubsOf(const Request& request, const CsrHeader& header, Places colIdx, const Method& method,
                                double othersNs);

/** Returns the candidate `windows` (`windows.cu`), none if its sums do not fit. The matrix is examined only if it may take less than `othersNs`. */
std::optional<Candidate> windowsOf(const Request& request, const CsrHeader& header, Places colIdx, const Method& method,
                                   double othersNs);

/** Returns the candidates `packed`, `stream`, `hubs` and `windows`, as far as they can be the fastest. */
std::vector<Candidate> candidatesByTiles(const Request& request, const CsrHeader& header, Places colIdx);

/** The one of the four that the method asks for; by default the one expected to be fastest. */
std::unique_ptr<Plan> makeByTiles(const Request& request, const CsrHeader& header, Places colIdx, const Method& method);

/** Plans products with blocks of vectors; `csr/blocks.cu` has the kernels. */
constexpr MethodEntry CSR_BLOCKS[] = {{"strips", {"unroll", "slots"}}, {"spans", {"entries"}}};
std::unique_ptr<Plan> makeCsrBlocks(const Request& request, const CsrHeader& header, Places colIdx);

constexpr MethodEntry COMPLEX_CSR[] = {PACKED_METHOD}, COMPLEX_CSR_BLOCKS[] = {{"strips", {"slots"}}, {"spans", {"entries"}}};
/** Plan products of complex CSR, with a single vector (`complex.cu`) and with blocks of them (`blocks.cu`). `request` has the matrix, `colIdx` its columns. */
std::unique_ptr<Plan> makeComplexCsr(const Request& request, Places colIdx);
std::unique_ptr<Plan> makeComplexCsrBlocks(const Request& request, Places colIdx);

/** Transposed products by scattering (`scatter.cu`). */
std::unique_ptr<Plan> makeCsrScatter(const Request& request, const CsrHeader& header, Places colIdx);

/** The methods with equal shares of the work, which may cut rows. */
std::unique_ptr<Plan> makeBalanced(const Request& request, const CsrHeader& header);
std::unique_ptr<Plan> makeMerge(const Request& request, const CsrHeader& header);

}  // namespace sparlane
