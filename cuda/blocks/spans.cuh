/**
 * Products with blocks of vectors by entries: a team of lanes (`strips.cuh`) has a span of equally many neighbouring entries, for any
 * distribution of row lengths.
 *
 * Source: Yang, Buluç & Owens 2018, §4.2 (equal shares of the entries for SpMM).
 * Differs: only entries are divided, since rows without entries need no team: additional teams write them. A bit per entry says where
 *   rows begin, so a team reads one word for eight entries instead of row indices, and rowPtr not at all.
 *   A span that ends inside a row leaves its sum as a carry; a second kernel adds the carries of a row in the order of the spans, so the
 *   bits of Y depend only on the matrix and the number of columns.
 * Methods: `spans`. `entries`: of a span, 32 to 1024, rounded down to a power of two.
 * Bound: gathers of rows of X through L2; then bytes of A, X and Y.
 */
#pragma once
#include <bit>

#include "blocks/quad.cuh"
#include "blocks/rows.cuh"

namespace sparlane {

constexpr int SPAN_THREADS = 128;

/** Entries of a batch: their strips of X are read before the first is used, and their columns one batch ahead. */
constexpr uint32_t QUADS = 2;
constexpr uint32_t BATCH = QUADS * QUAD;

/** Rows without entries of a team. */
constexpr uint32_t EMPTY_ROWS = 4;

/** Carries of a row above which a block adds them, not a team. */
constexpr uint32_t FEW_CARRIES = 16;

/** The spans of a matrix, as found by the inspector on the host: rows are added in order, with the end of their entries. */
struct SpanList {
  uint32_t shift;
  /** Bit k % 32 of word k / 32: a row begins with entry k. */
  std::vector<uint32_t> begins;
  /** Rows with entries, and one place more; rows without. */
  std::vector<uint32_t> rows, empty;
  /** The place in `rows` of the first entry's row, for each span. */
  std::vector<uint32_t> places;
  /** Rows with carries, by their number. */
  std::vector<Fold> few, many;

  /** Spans of 2^shift entries. */
  SpanList(uint32_t shift, uint32_t nnz) : shift(shift), begins(nnz / 32 + 1) { places.reserve((nnz >> shift) + 1); }

  void add(uint32_t row, uint32_t begin, uint32_t end) {
    if (begin == end) {
      empty.push_back(row);
      return;
    }
    begins[begin / 32] |= 1u << begin % 32;
    for (uint64_t first = uint64_t{places.size()} << shift; first < end; first += 1u << shift) {
      places.push_back(static_cast<uint32_t>(rows.size()));
    }
    rows.push_back(row);
    const uint32_t from = begin >> shift;
    const uint32_t carries = ((end - 1) >> shift) - from;
    if (carries > 0) (carries > FEW_CARRIES ? many : few).push_back({row, from, 1, carries});
  }
};

/** The same on the device, as a kernel reads it. */
template <class V, class X>
struct Spans {
  uint32_t nnz, shift, count, emptyCount;
  const uint32_t *begins, *rows, *places, *empty;
  const uint32_t* colIdx;
  Values<V, X> values;
};

/** A team per span, then one for EMPTY_ROWS rows without entries. The carry of a span: KEPT elements. */
template <class V, class X>
__global__ void __launch_bounds__(SPAN_THREADS) blockSpans(Spans<V, X> a, Division by, const X* __restrict__ x, X* __restrict__ y,
                                                           X* __restrict__ carries, Scalar<X> alpha, Scalar<X> beta) {
  const uint32_t team = blockIdx.x * (SPAN_THREADS >> by.stripShift) + (threadIdx.x >> by.stripShift);
  const uint32_t offset = by.strip() * Strip<X>::WIDTH;
  if (!by.hasStrip()) return;
  x += offset;
  y += offset;
  if (team >= a.count) {
    const uint32_t first = (team - a.count) * EMPTY_ROWS;
    for (uint32_t i = first; i < min(first + EMPTY_ROWS, a.emptyCount); i++) {
      putStrip(y + size_t{__ldg(a.empty + i)} * by.stride, by.stride, Strip<X>{}, alpha, beta);
    }
    return;
  }
  const uint32_t begin = team << a.shift;
  const uint32_t end = min(begin + (1u << a.shift), a.nnz);
  uint32_t place = __ldg(a.places + team);
  uint32_t row = __ldg(a.rows + place);
  uint32_t next = __ldg(a.rows + ++place);
  Strip<X> sum{};
  const auto endRow = [&] {
    putStrip(y + size_t{row} * by.stride, by.stride, sum, alpha, beta);
    sum = {};
    row = next;
    next = __ldg(a.rows + ++place);
  };
  // Bit i: a row begins with entry k + i. The first row of the span ends none.
  const auto beginsAt = [&](uint32_t k) { return (__ldg(a.begins + k / 32) >> k % 32 & ((1u << BATCH) - 1)) & ~(k == begin); };

  const uint32_t whole = begin + (end - begin) / BATCH * BATCH;
  Quad<uint32_t> column[QUADS];
  const auto readColumns = [&](uint32_t k) {
#pragma unroll
    for (uint32_t q = 0; q < QUADS; q++) column[q] = quad(a.colIdx + k + q * QUAD);
  };
  if (begin < whole) readColumns(begin);
#pragma unroll 1
  for (uint32_t k = begin; k < whole; k += BATCH) {
    Strip<X> factor[BATCH];
#pragma unroll
    for (uint32_t i = 0; i < BATCH; i++) factor[i] = stripAt(x + size_t{column[i / QUAD].at[i % QUAD]} * by.stride, by.stride);
    ValueQuad<V, X> value[QUADS];
#pragma unroll
    for (uint32_t q = 0; q < QUADS; q++) value[q].read(a.values, k + q * QUAD);
    const uint32_t begins = beginsAt(k);
    if (k + BATCH < whole) readColumns(k + BATCH);
#pragma unroll
    for (uint32_t i = 0; i < BATCH; i++) {
      if (begins >> i & 1) endRow();
      addTo(sum, value[i / QUAD].at(a.values, i % QUAD), factor[i]);
    }
  }
  for (uint32_t k = whole; k < end; k++) {
    if (beginsAt(k) & 1) endRow();
    addTo(sum, a.values.at(k), stripAt(x + size_t{__ldg(a.colIdx + k)} * by.stride, by.stride));
  }
  const bool goesOn = end < a.nnz && (__ldg(a.begins + end / 32) >> end % 32 & 1) == 0;
  if (!goesOn) {
    endRow();
    return;
  }
#pragma unroll
  for (uint32_t i = 0; i < Strip<X>::WIDTH; i++) sum.at[i] *= alpha;
  store(carries + (size_t{team} * KEPT<X> + offset), sum, KEPT<X>);
}

/** A team per row of few carries. */
template <class X>
__global__ void __launch_bounds__(SPAN_THREADS)
    addBlockCarries(const Fold* folds, uint32_t count, Division by, const X* carries, X* __restrict__ y) {
  const uint32_t at = blockIdx.x * (SPAN_THREADS >> by.stripShift) + (threadIdx.x >> by.stripShift);
  if (at >= count || !by.hasStrip()) return;
  const uint32_t offset = by.strip() * Strip<X>::WIDTH;
  const Fold fold = folds[at];
  Strip<X> sum{};
#pragma unroll 4
  for (uint32_t i = 0; i < fold.count; i++) {
    addTo(sum, stripAt(carries + (size_t{fold.slot + i} * KEPT<X> + offset), KEPT<X>));
  }
  putStrip(y + (size_t{fold.row} * by.stride + offset), by.stride, sum, Scalar<X>{1}, Scalar<X>{1});
}

/** What a plan by spans has; `entries` and values come from its format. */
template <class V, class X>
class BlockSpans {
 public:
  BlockSpans(const Request& request, Plan& plan, uint32_t nnz, const SpanList& list)
      : nnz_(nnz),
        shift_(list.shift),
        begins_(request.upload(plan, std::span(list.begins))),
        rows_(withOneMore(request, plan, list.rows)),
        places_(request.upload(plan, std::span(list.places))),
        empty_(request.upload(plan, std::span(list.empty))),
        few_(request.upload(plan, std::span(list.few))),
        many_(request.upload(plan, std::span(list.many))),
        carries_(request.room<X>(plan, hasCarries(list) ? list.places.size() * KEPT<X> : 0)) {}

  void run(cudaStream_t stream, const uint32_t* colIdx, Values<V, X> values, const X* x, X* y, uint32_t stride, Scalar<X> alpha,
           Scalar<X> beta) const {
    const auto count = static_cast<uint32_t>(places_.length());
    const auto empty = static_cast<uint32_t>(empty_.length());
    const Spans<V, X> a{nnz_, shift_, count, empty, begins_.data(), rows_.data(), places_.data(), empty_.data(), colIdx, values};
    const uint32_t teams = count + divideUp(empty, EMPTY_ROWS);
    if (teams == 0) return;
    forEachPass<X>(
        stride, [](uint32_t) { return 0u; },
        [&](const Division& by, uint32_t first) {
          const auto blocksOf = [&](uint32_t teams) { return divideUp(teams, SPAN_THREADS >> by.stripShift); };
          blockSpans<<<blocksOf(teams), SPAN_THREADS, 0, stream>>>(a, by, x + first, y + first, carries_.data(), alpha, beta);
          CHECK_LAUNCH("blocks of vectors, spans");
          if (const auto few = static_cast<uint32_t>(few_.length()); few > 0) {
            addBlockCarries<<<blocksOf(few), SPAN_THREADS, 0, stream>>>(few_.data(), few, by, carries_.data(), y + first);
            CHECK_LAUNCH("blocks of vectors, carries");
          }
          addFolds(stream, many_, by, carries_.data(), y + first, Scalar<X>{1}, Scalar<X>{1});
        });
  }

 private:
  static bool hasCarries(const SpanList& list) { return !list.few.empty() || !list.many.empty(); }

  /** A kernel reads two rows ahead. */
  static DeviceArray<uint32_t> withOneMore(const Request& request, Plan& plan, std::vector<uint32_t> rows) {
    rows.resize(rows.size() + 2);
    return request.upload(plan, std::span(rows));
  }

  uint32_t nnz_, shift_;
  DeviceArray<uint32_t> begins_, rows_, places_, empty_;
  DeviceArray<Fold> few_, many_;
  DeviceArray<X> carries_;
};

/**
 * Entries of a span: within 3 % of the best of 64 to 1024 for 8 to 64 columns of R-MAT 18 in f64 and f32; 256 take 1.03 times as long in the
 * median, 1.34 with 4 columns of f32. (H200, November 2026.)
 */
constexpr int SPAN_ENTRIES = 128;

/** log2 of the entries of a span. */
inline uint32_t spanShiftOf(const Method& method) {
  return std::bit_width(static_cast<uint32_t>(method.get("entries", SPAN_ENTRIES, 32, 1024))) - 1;
}

inline std::string nameOfSpans(uint32_t shift) { return "spans?entries=" + std::to_string(1 << shift); }

}  // namespace sparlane
