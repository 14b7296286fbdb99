/*
 * Bell & Garland's kernels as printed, each with and without the cache of x, as a peer (peer.cuh): y <- y + A x on the device, by the device's clock.
 *
 * Source: Bell & Garland 2008, figures 15, 17, 20, 22 and 24; padding §4.1 and §4.2; the HYB threshold §3.5; the cache §4.7. The paper does not
 *   print its whole COO kernel: here a warp has an interval of entries, and a second kernel of one block adds the rows that warps share.
 * Differs: lanes of a warp are synchronized, since warps no longer run in lockstep. No device of today reads memory past its caches: `bypass`
 *   reads x from L2, past L1, where the paper's GPU had no cache at all.
 *
 * usage: bell-garland MATRIX X 1 "FORMAT HOW"
 *   FORMAT  dia | ell | csr-scalar | csr-vector | coo | hyb
 *   HOW     texture (tex1Dfetch, as the paper), plain (a load, which is cached today), bypass (past L1)
 */
#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "../peer.cuh"

namespace {

constexpr int BLOCK = 256;
constexpr int WARP = 32;
/** Columns of DIA and ELL begin at multiples of this number of rows. */
constexpr uint32_t ALIGNED_ROWS = 32;
/** §3.5: a column of ELL pays if at least one of this number of rows has an entry in it. */
constexpr uint32_t COO_SLOWER = 3;

enum Cache { TEXTURE, PLAIN, BYPASS };

/** The vector x of a product, as each way to read it needs it. */
struct Vector {
  const real *data;
  cudaTextureObject_t texture;
};

template <Cache HOW>
__device__ __forceinline__ real fetch(const Vector &x, int i) {
  if constexpr (HOW == BYPASS) return __ldcg(x.data + i);
  if constexpr (HOW == PLAIN) return x.data[i];
  if constexpr (sizeof(real) == sizeof(float)) return tex1Dfetch<float>(x.texture, i);
  const int2 halves = tex1Dfetch<int2>(x.texture, i);
  return __hiloint2double(halves.y, halves.x);
}

/** DIA: figure 15. The offsets are read once per block (§4.1). */
template <Cache HOW>
__global__ void __launch_bounds__(BLOCK)
    diaKernel(int rows, int cols, int diagonals, size_t pitch, const int *offsets, const real *data, Vector x, real *y) {
  __shared__ int shared[BLOCK];
  const int row = blockIdx.x * BLOCK + threadIdx.x;
  real dot = 0;
  for (int first = 0; first < diagonals; first += BLOCK) {
    __syncthreads();
    if (first + static_cast<int>(threadIdx.x) < diagonals) shared[threadIdx.x] = offsets[first + threadIdx.x];
    __syncthreads();
    const int count = min(BLOCK, diagonals - first);
    if (row >= rows) continue;
    for (int n = 0; n < count; n++) {
      const int col = row + shared[n];
      const real value = data[pitch * (first + n) + row];
      if (col >= 0 && col < cols) dot += value * fetch<HOW>(x, col);
    }
  }
  if (row < rows) y[row] += dot;
}

/** ELL: figure 17. */
template <Cache HOW>
__global__ void __launch_bounds__(BLOCK)
    ellKernel(int rows, int width, size_t pitch, const int *indices, const real *data, Vector x, real *y) {
  const int row = blockIdx.x * BLOCK + threadIdx.x;
  if (row >= rows) return;
  real dot = 0;
  for (int n = 0; n < width; n++) {
    const int col = indices[pitch * n + row];
    const real value = data[pitch * n + row];
    if (value != 0) dot += value * fetch<HOW>(x, col);
  }
  y[row] += dot;
}

/** CSR, a thread for each row: figure 20. */
template <Cache HOW>
__global__ void __launch_bounds__(BLOCK)
    csrScalarKernel(int rows, const int *ptr, const int *indices, const real *data, Vector x, real *y) {
  const int row = blockIdx.x * BLOCK + threadIdx.x;
  if (row >= rows) return;
  real dot = 0;
  const int end = ptr[row + 1];
  for (int jj = ptr[row]; jj < end; jj++) dot += data[jj] * fetch<HOW>(x, indices[jj]);
  y[row] += dot;
}

/** Multiplies in CSR with a warp for each row, as figure 22 prints it. */
template <Cache HOW>
__global__ void __launch_bounds__(BLOCK)
    csrVectorKernel(int rows, const int *ptr, const int *indices, const real *data, Vector x, real *y) {
  __shared__ real vals[BLOCK];
  const int row = static_cast<int>((size_t{blockIdx.x} * BLOCK + threadIdx.x) / WARP);
  const int lane = threadIdx.x % WARP;
  if (row >= rows) return;
  const int end = ptr[row + 1];
  real own = 0;
  for (int jj = ptr[row] + lane; jj < end; jj += WARP) own += data[jj] * fetch<HOW>(x, indices[jj]);
  vals[threadIdx.x] = own;
  for (int step = WARP / 2; step > 0; step /= 2) {
    __syncwarp();
    if (lane < step) vals[threadIdx.x] += vals[threadIdx.x + step];
  }
  if (lane == 0) y[row] += vals[threadIdx.x];
}

/** Figure 24, by one warp, whose first lane has the places `rows` and `vals`. Returns the sum of the lane's row up to it. */
__device__ __forceinline__ real segmentedReduction(int lane, const int *rows, real *vals) {
  for (int step = 1; step < WARP; step *= 2) {
    __syncwarp();
    const real left = lane >= step && rows[lane] == rows[lane - step] ? vals[lane - step] : real{0};
    __syncwarp();
    vals[lane] += left;
  }
  __syncwarp();
  return vals[lane];
}

/** COO: §4.4. The number of entries is a multiple of WARP. The rest of each warp's last row is a carry. */
template <Cache HOW>
__global__ void __launch_bounds__(BLOCK) cooKernel(int nnz, int interval, const int *rowIdx, const int *colIdx, const real *data,
                                                   Vector x, real *y, int *carryRows, real *carries) {
  __shared__ int allRows[BLOCK];
  __shared__ real allVals[BLOCK];
  const int lane = threadIdx.x % WARP;
  int *rows = allRows + threadIdx.x - lane;
  real *vals = allVals + threadIdx.x - lane;
  const int warp = (blockIdx.x * BLOCK + threadIdx.x) / WARP;
  const int begin = static_cast<int>(min(static_cast<long long>(warp) * interval, static_cast<long long>(nnz)));
  const int end = static_cast<int>(min(static_cast<long long>(begin) + interval, static_cast<long long>(nnz)));
  if (begin >= end) return;
  int openRow = rowIdx[begin];
  real open = 0;
  for (int k = begin + lane; k < end; k += WARP) {
    const int row = rowIdx[k];
    real value = data[k] * fetch<HOW>(x, colIdx[k]);
    if (lane == 0) {
      if (row == openRow) value += open;
      else y[openRow] += open;
    }
    __syncwarp();
    rows[lane] = row;
    vals[lane] = value;
    const real sum = segmentedReduction(lane, rows, vals);
    if (lane < WARP - 1 && row != rows[lane + 1]) y[row] += sum;
    openRow = rows[WARP - 1];
    open = vals[WARP - 1];
  }
  if (lane == 0) {
    carryRows[warp] = openRow;
    carries[warp] = open;
  }
}

/** One block adds the carries: a segmented reduction of BLOCK of them at a time. */
__global__ void __launch_bounds__(BLOCK) carriesKernel(int count, const int *carryRows, const real *carries, real *y) {
  __shared__ int rows[BLOCK + 1];
  __shared__ real vals[BLOCK];
  const int t = threadIdx.x;
  if (t == 0) rows[BLOCK] = -1;
  for (int first = 0; first < count; first += BLOCK) {
    const int k = first + t;
    rows[t] = k < count ? carryRows[k] : -1;
    vals[t] = k < count ? carries[k] : real{0};
    for (int step = 1; step < BLOCK; step *= 2) {
      __syncthreads();
      const real left = t >= step && rows[t] == rows[t - step] ? vals[t - step] : real{0};
      __syncthreads();
      vals[t] += left;
    }
    __syncthreads();
    if (rows[t] >= 0 && rows[t] != rows[t + 1]) y[rows[t]] += vals[t];
    __syncthreads();
  }
}

Cache cache;
Vector vectorX;

template <class T>
T *onDevice(const std::vector<T> &source) {
  return onDevice(source.data(), source.size());
}

unsigned blocksOf(size_t threadCount) { return static_cast<unsigned>((threadCount + BLOCK - 1) / BLOCK); }
size_t pitchOf() { return (rows + size_t{ALIGNED_ROWS} - 1) / ALIGNED_ROWS * ALIGNED_ROWS; }

/** The product of a layout, or of a part of HYB. */
struct Product {
  virtual ~Product() = default;
  /** Queues the product's kernels. */
  virtual void run() = 0;
};
std::vector<std::unique_ptr<Product>> stages;

struct Dia : Product {
  int diagonals;
  int *offsets;
  real *data;
  Dia() {
    std::map<int, int> places;
    for (uint32_t i = 0; i < rows; i++)
      for (uint32_t k = rowPtr[i]; k < rowPtr[i + 1]; k++) {
        places[static_cast<int>(colIdx[k]) - static_cast<int>(i)] = 0;
        if (places.size() * size_t{rows} > MAX_FILL * nnz + rows) fail("refused: mostly padding");
      }
    std::vector<int> all;
    for (auto &[offset, place] : places) place = static_cast<int>(all.size()), all.push_back(offset);
    diagonals = static_cast<int>(all.size());
    refuseIfPadded(pitchOf() * diagonals);
    std::vector<real> filled(pitchOf() * diagonals);
    for (uint32_t i = 0; i < rows; i++)
      for (uint32_t k = rowPtr[i]; k < rowPtr[i + 1]; k++)
        filled[pitchOf() * places[static_cast<int>(colIdx[k]) - static_cast<int>(i)] + i] = values[k];
    offsets = onDevice(all);
    data = onDevice(filled);
  }
  void run() override {
    const auto kernel = cache == TEXTURE ? diaKernel<TEXTURE> : cache == PLAIN ? diaKernel<PLAIN> : diaKernel<BYPASS>;
    kernel<<<blocksOf(rows), BLOCK>>>(rows, cols, diagonals, pitchOf(), offsets, data, vectorX, deviceY);
  }
};

struct Ell : Product {
  int width;
  int *indices;
  real *data;
  /** Takes up to `given` entries of each row. */
  explicit Ell(uint32_t given) : width(static_cast<int>(given)) {
    refuseIfPadded(pitchOf() * width);
    std::vector<int> columns(pitchOf() * width);
    std::vector<real> filled(pitchOf() * width);
    for (uint32_t i = 0; i < rows; i++)
      for (uint32_t n = 0; n < std::min(given, rowPtr[i + 1] - rowPtr[i]); n++) {
        columns[pitchOf() * n + i] = static_cast<int>(colIdx[rowPtr[i] + n]);
        filled[pitchOf() * n + i] = values[rowPtr[i] + n];
      }
    indices = onDevice(columns);
    data = onDevice(filled);
  }
  void run() override {
    if (width == 0) return;
    const auto kernel = cache == TEXTURE ? ellKernel<TEXTURE> : cache == PLAIN ? ellKernel<PLAIN> : ellKernel<BYPASS>;
    kernel<<<blocksOf(rows), BLOCK>>>(rows, width, pitchOf(), indices, data, vectorX, deviceY);
  }
};

struct Csr : Product {
  bool isVector;
  int *ptr, *indices;
  real *data;
  explicit Csr(bool byWarps)
      : isVector(byWarps),
        ptr(onDevice(reinterpret_cast<const int *>(rowPtr), rows + size_t{1})),
        indices(onDevice(reinterpret_cast<const int *>(colIdx), nnz)),
        data(onDevice(values, nnz)) {}
  void run() override {
    if (isVector) {
      const auto kernel =
          cache == TEXTURE ? csrVectorKernel<TEXTURE> : cache == PLAIN ? csrVectorKernel<PLAIN> : csrVectorKernel<BYPASS>;
      kernel<<<blocksOf(size_t{rows} * WARP), BLOCK>>>(rows, ptr, indices, data, vectorX, deviceY);
    } else {
      const auto kernel =
          cache == TEXTURE ? csrScalarKernel<TEXTURE> : cache == PLAIN ? csrScalarKernel<PLAIN> : csrScalarKernel<BYPASS>;
      kernel<<<blocksOf(rows), BLOCK>>>(rows, ptr, indices, data, vectorX, deviceY);
    }
  }
};

struct Coo : Product {
  int count = 0, interval = 0, warps = 0;
  int *rowIdx, *columns, *carryRows;
  real *data, *carries;
  /** Takes the entries of each row from the one at `first` on, padded with zeros of the last row. */
  explicit Coo(uint32_t first) {
    std::vector<int> ofRows, ofCols;
    std::vector<real> ofValues;
    for (uint32_t i = 0; i < rows; i++)
      for (uint32_t k = rowPtr[i] + std::min(first, rowPtr[i + 1] - rowPtr[i]); k < rowPtr[i + 1]; k++) {
        ofRows.push_back(static_cast<int>(i));
        ofCols.push_back(static_cast<int>(colIdx[k]));
        ofValues.push_back(values[k]);
      }
    if (ofRows.empty()) return;
    while (ofRows.size() % WARP) ofRows.push_back(ofRows.back()), ofCols.push_back(0), ofValues.push_back(0);
    count = static_cast<int>(ofRows.size());
    cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    const int resident = properties.multiProcessorCount * properties.maxThreadsPerMultiProcessor / WARP;
    const int lines = count / WARP;
    interval = (lines + resident - 1) / resident * WARP;
    warps = (count + interval - 1) / interval;
    rowIdx = onDevice(ofRows);
    columns = onDevice(ofCols);
    data = onDevice(ofValues);
    carryRows = keep(bench::DeviceArray<int>(warps));
    carries = keep(bench::DeviceArray<real>(warps));
  }
  void run() override {
    if (count == 0) return;
    const auto kernel = cache == TEXTURE ? cooKernel<TEXTURE> : cache == PLAIN ? cooKernel<PLAIN> : cooKernel<BYPASS>;
    kernel<<<blocksOf(size_t{static_cast<unsigned>(warps)} * WARP), BLOCK>>>(count, interval, rowIdx, columns, data, vectorX, deviceY,
                                                                           carryRows, carries);
    carriesKernel<<<1, BLOCK>>>(warps, carryRows, carries, deviceY);
  }
};

/** The width of ELL in HYB: the largest number of columns of which each is in at least a third of the rows (§3.5). */
uint32_t typicalLength() {
  std::vector<uint32_t> rowsOf(1);
  for (uint32_t i = 0; i < rows; i++) {
    const uint32_t length = rowPtr[i + 1] - rowPtr[i];
    if (length >= rowsOf.size()) rowsOf.resize(length + size_t{1});
    rowsOf[length]++;
  }
  uint64_t atLeast = 0;
  for (size_t k = rowsOf.size(); k-- > 1;) {
    atLeast += rowsOf[k];
    if (atLeast * COO_SLOWER >= rows) return static_cast<uint32_t>(k);
  }
  return 0;
}

uint32_t longestRow() {
  uint32_t longest = 0;
  for (uint32_t i = 0; i < rows; i++) longest = std::max(longest, rowPtr[i + 1] - rowPtr[i]);
  return longest;
}

void multiply() {
  for (const auto &stage : stages) stage->run();
}

void makeTexture() {
  vectorX.data = deviceX;
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = deviceX;
  resource.res.linear.desc =
      sizeof(real) == sizeof(float) ? cudaCreateChannelDesc<float>() : cudaCreateChannelDesc<int2>();
  resource.res.linear.sizeInBytes = cols * sizeof(real);
  cudaTextureDesc how{};
  how.readMode = cudaReadModeElementType;
  CUDA_CHECK(cudaCreateTextureObject(&vectorX.texture, &resource, &how, nullptr));
}

void prepare() {
  std::istringstream words(wanted);
  std::string format, how;
  words >> format >> how;
  if (how != "texture" && how != "plain" && how != "bypass") fail("HOW: expected texture | plain | bypass");
  cache = how == "texture" ? TEXTURE : how == "plain" ? PLAIN : BYPASS;
  deviceX = onDevice(x, cols);
  deviceY = keep(bench::DeviceArray<real>(rows));
  makeTexture();
  if (format == "dia") stages.push_back(std::make_unique<Dia>());
  else if (format == "ell") stages.push_back(std::make_unique<Ell>(longestRow()));
  else if (format == "csr-scalar") stages.push_back(std::make_unique<Csr>(false));
  else if (format == "csr-vector") stages.push_back(std::make_unique<Csr>(true));
  else if (format == "coo") stages.push_back(std::make_unique<Coo>(0));
  else if (format == "hyb") {
    stages.push_back(std::make_unique<Ell>(typicalLength()));
    stages.push_back(std::make_unique<Coo>(typicalLength()));
  } else {
    fail("FORMAT: expected dia | ell | csr-scalar | csr-vector | coo | hyb");
  }
  CUDA_CHECK(cudaDeviceSynchronize());
}

void another(const char *product) {
  CUDA_CHECK(cudaDestroyTextureObject(vectorX.texture));
  stages.clear();
  arrays.clear();
  wanted = product;
}

}  // namespace

int main(int argc, char **argv) {
  // The kernels add to y.
  serveProduct(argc, argv, {.version = "2008", .prepare = prepare, .begin = fillY<0>, .another = another});
}
