/*
 * Jindal's kernels, with his launch shapes and his entries per warp, as a peer (peer.cuh): y <- y + A x on the device, by the device's clock.
 *
 * Source: Jindal, "Sparse Matrix-Vector Multiplication on GPU", §1.1, §1.2, §2 and §3.
 * Differs: the report does not print its kernels. A line of 32 entries is scanned as in its §2.1, with the lanes of a warp synchronized; the
 *   last lane of each row of the line adds atomically, so rows of several warps need nothing else.
 *
 * usage: jindal MATRIX X 1 "METHOD BLOCKS THREADS ENTRIES"
 *   METHOD   column, row (atomic adds of entries sorted by columns or by rows), scan (§2), reordered (§3: entries in components of whole
 *            multiples of 32, then of 16, of 8, and the rest)
 *   BLOCKS, THREADS   of the launch; BLOCKS 0: as many as entries ask for
 *   ENTRIES  that a warp has before the grid's next stride: multiples of 32 for scan and reordered; ignored by the others
 */
#include <algorithm>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "../peer.cuh"

namespace {

constexpr int WARP = 32;
constexpr int MAX_THREADS = 1024;

/** §1.1, §1.2: a thread for each entry. */
__global__ void atomicKernel(uint32_t nnz, const uint32_t *rowIdx, const uint32_t *colIdx, const real *data, const real *x, real *y) {
  const size_t stride = size_t{gridDim.x} * blockDim.x;
  for (size_t k = size_t{blockIdx.x} * blockDim.x + threadIdx.x; k < nnz; k += stride)
    atomicAdd(y + rowIdx[k], data[k] * x[colIdx[k]]);
}

/** §2: a scan of each line of entries, whose number is a multiple of WARP. */
__global__ void scanKernel(uint32_t nnz, uint32_t perWarp, const uint32_t *rowIdx, const uint32_t *colIdx, const real *data,
                           const real *x, real *y) {
  __shared__ uint32_t rows[MAX_THREADS];
  __shared__ real vals[MAX_THREADS];
  const uint32_t at = threadIdx.x, lane = at % WARP;
  const size_t warps = size_t{gridDim.x} * blockDim.x / WARP;
  const size_t warp = (size_t{blockIdx.x} * blockDim.x + at) / WARP;
  for (size_t first = warp * perWarp; first < nnz; first += warps * perWarp) {
    const size_t end = min(first + perWarp, size_t{nnz});
    for (size_t k = first + lane; k < end; k += WARP) {
      const uint32_t row = rowIdx[k];
      rows[at] = row;
      vals[at] = data[k] * x[colIdx[k]];
      for (uint32_t step = 1; step < WARP; step *= 2) {
        __syncwarp();
        const real left = lane >= step && rows[at - step] == row ? vals[at - step] : real{0};
        __syncwarp();
        vals[at] += left;
      }
      __syncwarp();
      if (lane == WARP - 1 || rows[at + 1] != row) atomicAdd(y + row, vals[at]);
      __syncwarp();
    }
  }
}

real *deviceValues;
uint32_t *deviceRows, *deviceCols;
/** The order of the arrays of entries, which several products share. */
std::string laidOut;
uint32_t count, perWarp;
int blocks, threadsOfBlock;
bool scans;

/** Returns the order of §3: by components of 32 · n, 16, 8 and fewer entries, and in each by rows. */
std::vector<uint32_t> inComponents() {
  std::vector<uint32_t> order;
  order.reserve(nnz);
  for (const uint32_t width : {32u, 16u, 8u, 1u}) {
    for (uint32_t i = 0; i < rows; i++) {
      const uint32_t length = rowPtr[i + 1] - rowPtr[i];
      const uint32_t begin = width == 32 ? 0 : width == 16 ? length / 32 * 32 : width == 8 ? length / 16 * 16 : length / 8 * 8;
      const uint32_t end = width == 1 ? length : length / width * width;
      for (uint32_t k = begin; k < end; k++) order.push_back(rowPtr[i] + k);
    }
  }
  return order;
}

/** Returns the order by columns, and in each by rows. */
std::vector<uint32_t> byColumns() {
  std::vector<uint32_t> next(cols + size_t{1}), order(nnz);
  for (uint32_t k = 0; k < nnz; k++) next[colIdx[k] + 1]++;
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (uint32_t k = 0; k < nnz; k++) order[next[colIdx[k]]++] = k;
  return order;
}

void layOut(const std::string &kind) {
  if (kind == laidOut) return;
  arrays.clear();
  std::vector<uint32_t> order(nnz);
  std::iota(order.begin(), order.end(), 0);
  if (kind == "column") order = byColumns();
  if (kind == "reordered") order = inComponents();
  if (order.size() != nnz) fail("the order does not have every entry");
  std::vector<uint32_t> rowOf(nnz);
  for (uint32_t i = 0; i < rows; i++) std::fill(rowOf.begin() + rowPtr[i], rowOf.begin() + rowPtr[i + 1], i);
  count = (nnz + WARP - 1) / WARP * WARP;
  std::vector<uint32_t> ofRows(count), ofCols(count);
  std::vector<real> ofValues(count);
  for (uint32_t k = 0; k < nnz; k++) ofRows[k] = rowOf[order[k]], ofCols[k] = colIdx[order[k]], ofValues[k] = values[order[k]];
  // Padding adds zeros to the last row.
  for (uint32_t k = nnz; k < count; k++) ofRows[k] = ofRows[nnz - 1];
  deviceRows = onDevice(ofRows.data(), count);
  deviceCols = onDevice(ofCols.data(), count);
  deviceValues = onDevice(ofValues.data(), count);
  deviceX = onDevice(x, cols);
  deviceY = onDevice(y, rows);
  laidOut = kind;
}

void multiply() {
  const uint64_t needed = scans ? (uint64_t{count} + perWarp - 1) / perWarp * WARP : count;
  const auto grid = blocks > 0 ? static_cast<unsigned>(blocks) : static_cast<unsigned>((needed + threadsOfBlock - 1) / threadsOfBlock);
  if (scans) scanKernel<<<grid, threadsOfBlock>>>(count, perWarp, deviceRows, deviceCols, deviceValues, deviceX, deviceY);
  else atomicKernel<<<grid, threadsOfBlock>>>(count, deviceRows, deviceCols, deviceValues, deviceX, deviceY);
}

void prepare() {
  std::istringstream words(wanted);
  std::string method;
  words >> method >> blocks >> threadsOfBlock >> perWarp;
  if (nnz == 0) fail("refused: no entries");
  if (method != "column" && method != "row" && method != "scan" && method != "reordered")
    fail("METHOD: expected column | row | scan | reordered");
  if (threadsOfBlock < WARP || threadsOfBlock > MAX_THREADS || threadsOfBlock % WARP) fail("THREADS: expected a multiple of 32 up to 1024");
  if (perWarp < WARP || perWarp % WARP) fail("ENTRIES: expected a multiple of 32");
  scans = method == "scan" || method == "reordered";
  layOut(method == "scan" ? "row" : method);
  CUDA_CHECK(cudaDeviceSynchronize());
}

void another(const char *product) { wanted = product; }

}  // namespace

int main(int argc, char **argv) {
  // The kernels add to y.
  serveProduct(argc, argv, {.version = "2016", .prepare = prepare, .begin = fillY<0>, .another = another});
}
