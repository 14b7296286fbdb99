/*
 * cuSPARSE's SpMV of one format, as a peer (peer.cuh): y <- A x on the device, by the device's clock. Setup is the conversion on the host, the copy to the
 * device, and cuSPARSE's preprocessing.
 *
 * usage: cusparse MATRIX X 1 PRODUCT
 *   csr ALG1 | csr ALG2     cusparseSpMV, whose ALG2 gives the same bits every time; "csr ALG1 preprocess": after cusparseSpMV_preprocess
 *   coo ALG1 | coo ALG2
 *   sell HEIGHT             sliced ELL, in slices of HEIGHT rows
 *   bsr SIZE | bsrmv SIZE   blocks of SIZE rows and columns, each by rows: cusparseSpMV, and the older cusparse?bsrmv
 */
#include <cusparse.h>

#include <algorithm>
#include <climits>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "peer.cuh"

#define CUSPARSE_CHECK(call)                                                          \
  do {                                                                                \
    const cusparseStatus_t status_ = (call);                                          \
    if (status_ != CUSPARSE_STATUS_SUCCESS) failCall(#call, cusparseGetErrorString(status_)); \
  } while (0)

namespace {

constexpr auto TYPE = std::is_same_v<real, double> ? CUDA_R_64F : CUDA_R_32F;
constexpr auto INDEX = CUSPARSE_INDEX_32I;
constexpr auto BASE = CUSPARSE_INDEX_BASE_ZERO;
constexpr auto AS_IS = CUSPARSE_OPERATION_NON_TRANSPOSE;
const real ONE = 1, ZERO = 0;

/* On the device; arrays that the format does not have are null. */
cusparseHandle_t handle;
cusparseSpMatDescr_t matrix;
cusparseDnVecDescr_t xVector, yVector;
cusparseMatDescr_t general;
cusparseSpMVAlg_t algorithm;
real *deviceValues;
int *devicePointers, *deviceIndices;
int blockSize, blockRows, blockCols, blocks;
void *workspace;

void failCall(const char *call, const char *reason) { fail((std::string(call) + ": " + reason).c_str()); }

/** Checks the number of places of a layout; refuses it if there are too many. */
int countOf(size_t places) {
  refuseIfPadded(places);
  if (places > INT_MAX) fail("refused: number of places exceeds an int");
  return static_cast<int>(places);
}

void layOutCsr() {
  devicePointers = onDevice(reinterpret_cast<const int *>(rowPtr), rows + size_t{1});
  deviceIndices = onDevice(reinterpret_cast<const int *>(colIdx), nnz);
  deviceValues = onDevice(values, nnz);
  CUSPARSE_CHECK(cusparseCreateCsr(&matrix, rows, cols, nnz, devicePointers, deviceIndices, deviceValues, INDEX, INDEX,
                                   BASE, TYPE));
}

void layOutCoo() {
  std::vector<int> rowIdx(nnz);
  for (uint32_t i = 0; i < rows; i++) std::fill(rowIdx.begin() + rowPtr[i], rowIdx.begin() + rowPtr[i + 1], static_cast<int>(i));
  devicePointers = onDevice(rowIdx.data(), nnz);
  deviceIndices = onDevice(reinterpret_cast<const int *>(colIdx), nnz);
  deviceValues = onDevice(values, nnz);
  CUSPARSE_CHECK(cusparseCreateCoo(&matrix, rows, cols, nnz, devicePointers, deviceIndices, deviceValues, INDEX, BASE, TYPE));
}

/** A slice column by column; padding has the column −1. */
void layOutSell(uint32_t height) {
  const uint32_t slices = (rows + height - 1) / height;
  std::vector<int> slicePtr(slices + 1);
  size_t places = 0;
  for (uint32_t s = 0; s < slices; s++) {
    uint32_t width = 0;
    for (uint32_t i = s * height; i < std::min(rows, (s + 1) * height); i++) width = std::max(width, rowPtr[i + 1] - rowPtr[i]);
    places += size_t{width} * height;
    slicePtr[s + 1] = countOf(places);
  }
  std::vector<int> indices(places, -1);
  std::vector<real> padded(places);
  for (uint32_t i = 0; i < rows; i++) {
    size_t place = slicePtr[i / height] + i % height;
    for (uint32_t k = rowPtr[i]; k < rowPtr[i + 1]; k++, place += height) {
      indices[place] = static_cast<int>(colIdx[k]);
      padded[place] = values[k];
    }
  }
  devicePointers = onDevice(slicePtr.data(), slicePtr.size());
  deviceIndices = onDevice(indices.data(), places);
  deviceValues = onDevice(padded.data(), places);
  CUSPARSE_CHECK(cusparseCreateSlicedEll(&matrix, rows, cols, nnz, places, height, devicePointers, deviceIndices,
                                         deviceValues, INDEX, INDEX, BASE, TYPE));
}

/** The block columns of a block row that hold an entry, ascending. */
std::vector<uint32_t> blockColumns(uint32_t blockRow, uint32_t size) {
  std::vector<uint32_t> found;
  for (uint32_t i = blockRow * size; i < (blockRow + 1) * size; i++) {
    for (uint32_t k = rowPtr[i]; k < rowPtr[i + 1]; k++) {
      if (found.empty() || found.back() != colIdx[k] / size) found.push_back(colIdx[k] / size);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void layOutBlocks(uint32_t size) {
  if (size < 2 || rows % size || cols % size) fail("refused: blocks do not divide the matrix");
  const size_t area = size_t{size} * size;
  blockSize = size, blockRows = rows / size, blockCols = cols / size;
  std::vector<int> pointers{0}, indices;
  std::vector<real> filled;
  for (int b = 0; b < blockRows; b++) {
    const auto columns = blockColumns(b, size);
    const size_t first = indices.size();
    indices.insert(indices.end(), columns.begin(), columns.end());
    filled.resize(indices.size() * area);
    for (uint32_t r = 0; r < size; r++) {
      size_t at = 0;
      for (uint32_t i = b * size + r, k = rowPtr[i]; k < rowPtr[i + 1]; k++) {
        while (columns[at] != colIdx[k] / size) at++;
        filled[(first + at) * area + r * size + colIdx[k] % size] = values[k];
      }
    }
    countOf(filled.size());
    pointers.push_back(static_cast<int>(indices.size()));
  }
  blocks = pointers.back();
  devicePointers = onDevice(pointers.data(), pointers.size());
  deviceIndices = onDevice(indices.data(), indices.size());
  deviceValues = onDevice(filled.data(), filled.size());
}

void describeBlocks() {
  CUSPARSE_CHECK(cusparseCreateBsr(&matrix, blockRows, blockCols, blocks, blockSize, blockSize, devicePointers,
                                   deviceIndices, deviceValues, INDEX, INDEX, BASE, TYPE, CUSPARSE_ORDER_ROW));
}

void multiplySpmv() {
  CUSPARSE_CHECK(cusparseSpMV(handle, AS_IS, &ONE, matrix, xVector, &ZERO, yVector, TYPE, algorithm, workspace));
}

template <class Real>
constexpr auto BSRMV = cusparseDbsrmv;
template <>
constexpr auto BSRMV<float> = cusparseSbsrmv;

void multiplyBsrmv() {
  CUSPARSE_CHECK(BSRMV<real>(handle, CUSPARSE_DIRECTION_ROW, AS_IS, blockRows, blockCols, blocks, &ONE, general, deviceValues,
                             devicePointers, deviceIndices, blockSize, deviceX, &ZERO, deviceY));
}

void prepareSpmv(bool preprocesses) {
  size_t bytes = 0;
  CUSPARSE_CHECK(
      cusparseSpMV_bufferSize(handle, AS_IS, &ONE, matrix, xVector, &ZERO, yVector, TYPE, algorithm, &bytes));
  workspace = keep(bench::DeviceArray<char>(bytes));
  if (preprocesses) {
    CUSPARSE_CHECK(
        cusparseSpMV_preprocess(handle, AS_IS, &ONE, matrix, xVector, &ZERO, yVector, TYPE, algorithm, workspace));
  }
}

bool isBsrmv() { return wanted.starts_with("bsrmv"); }

void multiply() { isBsrmv() ? multiplyBsrmv() : multiplySpmv(); }

void layOut(const std::string &format, const std::string &how) {
  const bool isSecond = how == "ALG2";
  const auto size = static_cast<uint32_t>(std::atoi(how.c_str()));
  if (format == "csr") {
    algorithm = isSecond ? CUSPARSE_SPMV_CSR_ALG2 : CUSPARSE_SPMV_CSR_ALG1;
    layOutCsr();
  } else if (format == "coo") {
    algorithm = isSecond ? CUSPARSE_SPMV_COO_ALG2 : CUSPARSE_SPMV_COO_ALG1;
    layOutCoo();
  } else if (format == "sell" && size > 0) {
    algorithm = CUSPARSE_SPMV_SELL_ALG1;
    layOutSell(size);
  } else if (format == "bsr" || format == "bsrmv") {
    algorithm = CUSPARSE_SPMV_BSR_ALG1;
    layOutBlocks(size);
    if (format == "bsr") describeBlocks();
  } else {
    fail("PRODUCT: expected csr | coo | sell | bsr | bsrmv and how");
  }
}

void prepare() {
  std::istringstream words(wanted);
  std::string format, how, more;
  words >> format >> how >> more;
  deviceX = onDevice(x, cols);
  deviceY = onDevice(y, rows);
  CUSPARSE_CHECK(cusparseCreateDnVec(&xVector, cols, deviceX, TYPE));
  CUSPARSE_CHECK(cusparseCreateDnVec(&yVector, rows, deviceY, TYPE));
  layOut(format, how);
  if (isBsrmv()) {
    CUSPARSE_CHECK(cusparseCreateMatDescr(&general));
  } else {
    prepareSpmv(more == "preprocess");
  }
  CUDA_CHECK(cudaDeviceSynchronize());
}

void another(const char *product) {
  CUSPARSE_CHECK(cusparseDestroyDnVec(xVector));
  CUSPARSE_CHECK(cusparseDestroyDnVec(yVector));
  if (matrix != nullptr) CUSPARSE_CHECK(cusparseDestroySpMat(matrix));
  if (general != nullptr) CUSPARSE_CHECK(cusparseDestroyMatDescr(general));
  matrix = nullptr;
  general = nullptr;
  arrays.clear();
  wanted = product;
}

}  // namespace

int main(int argc, char **argv) {
  // The library is opened before the set-up is timed, because that is slow.
  CUSPARSE_CHECK(cusparseCreate(&handle));
  int major = 0, minor = 0, patch = 0;
  CUSPARSE_CHECK(cusparseGetProperty(MAJOR_VERSION, &major));
  CUSPARSE_CHECK(cusparseGetProperty(MINOR_VERSION, &minor));
  CUSPARSE_CHECK(cusparseGetProperty(PATCH_LEVEL, &patch));
  const auto version = std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
  // Every product writes all of y.
  serveProduct(argc, argv, {.version = version.c_str(), .prepare = prepare, .begin = fillY<0xff>, .another = another});
}
