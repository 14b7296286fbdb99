/*
 * What a step of conjugate gradients with jacobi costs who writes it by hand: a CUDA graph of cuSPARSE's product and four plain kernels. On 5-point
 * grids of edge² unknowns. Prints a line of JSON for each edge: microseconds a step, the median of ROUNDS of 200 steps.
 *
 * usage: nvcc -std=c++20 -O3 -arch=native -o steps steps.cu -lcusparse && ./steps 300 1000 2000
 */
#include <cuda_runtime.h>
#include <cusparse.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                 \
  do {                                                                              \
    if (const auto error_ = (call); error_ != decltype(error_){}) {                 \
      std::fprintf(stderr, "%s: error %d\n", #call, static_cast<int>(error_));      \
      std::exit(1);                                                                 \
    }                                                                               \
  } while (0)

constexpr int THREADS = 256, STEPS = 200, ROUNDS = 5;

struct Sums {
  double pq, rz, rr, rzBefore;
};

__device__ void addSum(double sum, double* to) {
  __shared__ double sums[THREADS / 32];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(~0u, sum, lanes);
  __syncthreads();
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int warp = 1; warp < THREADS / 32; warp++) sum += sums[warp];
  atomicAdd(to, sum);
}

__global__ void dot(int n, const double* p, const double* q, Sums* sums) {
  double sum = 0;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) sum += p[i] * q[i];
  addSum(sum, &sums->pq);
}

__global__ void update(int n, const double* d, const double* p, const double* q, double* x, double* r, double* z, Sums* sums) {
  const double alpha = sums->rzBefore / sums->pq;
  double rz = 0, rr = 0;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
    x[i] += alpha * p[i];
    const double left = r[i] - alpha * q[i], scaled = d[i] * left;
    r[i] = left;
    z[i] = scaled;
    rz += left * scaled;
    rr += left * left;
  }
  addSum(rz, &sums->rz);
  addSum(rr, &sums->rr);
}

__global__ void direction(int n, const double* z, double* p, const Sums* sums) {
  const double beta = sums->rz / sums->rzBefore;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) p[i] = z[i] + beta * p[i];
}

__global__ void keep(Sums* sums) { *sums = {0, 0, 0, sums->rz}; }

template <class T>
T* onDevice(const std::vector<T>& numbers) {
  T* data;
  CHECK(cudaMalloc(&data, numbers.size() * sizeof(T)));
  CHECK(cudaMemcpy(data, numbers.data(), numbers.size() * sizeof(T), cudaMemcpyHostToDevice));
  return data;
}

double microseconds(int edge, cudaStream_t stream, cusparseHandle_t handle) {
  const int n = edge * edge;
  std::vector<int> ptr{0}, idx;
  std::vector<double> values;
  const auto put = [&](bool isThere, int column, double value) {
    if (!isThere) return;
    idx.push_back(column);
    values.push_back(value);
  };
  for (int i = 0; i < n; i++) {
    put(i >= edge, i - edge, -1);
    put(i % edge > 0, i - 1, -1);
    put(true, i, 4);
    put(i % edge < edge - 1, i + 1, -1);
    put(i < n - edge, i + edge, -1);
    ptr.push_back(static_cast<int>(idx.size()));
  }
  std::vector<double> b(n);
  for (int i = 0; i < n; i++) b[i] = 1.0 / (1 + i % 7);
  const std::vector<double> zeros(n);
  double *x = onDevice(zeros), *r = onDevice(b), *p = onDevice(b), *q = onDevice(zeros), *z = onDevice(zeros);
  double* d = onDevice(std::vector<double>(n, 0.25));
  Sums* sums = onDevice(std::vector<Sums>{{0, 0, 0, 1}});
  cusparseSpMatDescr_t matrix;
  cusparseDnVecDescr_t from, to;
  CHECK(cusparseCreateCsr(&matrix, n, n, values.size(), onDevice(ptr), onDevice(idx), onDevice(values), CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  CHECK(cusparseCreateDnVec(&from, n, p, CUDA_R_64F));
  CHECK(cusparseCreateDnVec(&to, n, q, CUDA_R_64F));
  const double one = 1, zero = 0;
  size_t bytes = 0;
  const auto algorithm = CUSPARSE_SPMV_CSR_ALG1;
  const auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
  CHECK(cusparseSpMV_bufferSize(handle, none, &one, matrix, from, &zero, to, CUDA_R_64F, algorithm, &bytes));
  void* room;
  CHECK(cudaMalloc(&room, bytes + 1));
  CHECK(cusparseSpMV_preprocess(handle, none, &one, matrix, from, &zero, to, CUDA_R_64F, algorithm, room));
  const int blocks = std::min((n + THREADS - 1) / THREADS, 132 * 8);
  cudaGraph_t graph;
  cudaGraphExec_t step;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cusparseSpMV(handle, none, &one, matrix, from, &zero, to, CUDA_R_64F, algorithm, room));
  dot<<<blocks, THREADS, 0, stream>>>(n, p, q, sums);
  update<<<blocks, THREADS, 0, stream>>>(n, d, p, q, x, r, z, sums);
  direction<<<blocks, THREADS, 0, stream>>>(n, z, p, sums);
  keep<<<1, 1, 0, stream>>>(sums);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&step, graph, 0));
  std::vector<double> times;
  for (int round = -1; round < ROUNDS; round++) {
    CHECK(cudaStreamSynchronize(stream));
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < STEPS; i++) CHECK(cudaGraphLaunch(step, stream));
    CHECK(cudaStreamSynchronize(stream));
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
    if (round >= 0) times.push_back(spent.count() / STEPS);
  }
  std::sort(times.begin(), times.end());
  return times[ROUNDS / 2];
}

int main(int argc, char** argv) {
  cudaStream_t stream;
  cusparseHandle_t handle;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cusparseCreate(&handle));
  CHECK(cusparseSetStream(handle, stream));
  for (int i = 1; i < argc; i++) {
    const int edge = std::atoi(argv[i]);
    std::printf("{\"edge\":%d,\"us\":%.2f}\n", edge, microseconds(edge, stream, handle));
  }
}
