/**
 * The C interface between the Node addon, which includes no CUDA header, and the kernels, which include no Node header. Every
 * function that may fail has an argument `spl_error`; its code is empty on success. Handles are opaque, and freed by this
 * interface.
 */
#ifndef SPARLANE_H
#define SPARLANE_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** `code` is that of a SparlaneError: `argument`, `heap`, `backend`. */
typedef struct {
  char code[16];
  char message[1008];
} spl_error;

typedef struct {
  char name[256];
  uint64_t memory_bytes;
  uint64_t l2_bytes;
  int32_t major, minor;
  int32_t multiprocessors;
  /** These are the clocks of the multiprocessors and of the memory, and the width of its bus: 0 if the driver states none. */
  int32_t clock_khz, memory_clock_khz, memory_bus_bits;
  /** A block has at most so many bytes of shared memory, and a multiprocessor has so many. */
  uint64_t block_shared_bytes, shared_bytes;
  /** A multiprocessor runs at most so many threads at a time. */
  int32_t threads;
} spl_device;

/** A method of a kernel is expected to take `ns` nanoseconds. */
typedef struct {
  char method[64];
  double ns;
} spl_estimate;

typedef struct spl_context spl_context;
typedef struct spl_vector spl_vector;
typedef struct spl_plan spl_plan;
typedef struct spl_graph spl_graph;

enum { SPL_F64, SPL_F32, SPL_MIXED };

/** As `cudaDriverGetVersion`, 13000 for 13.0; 0: no driver. */
int32_t spl_driver_version(void);
/** The CUDA version of this build. */
int32_t spl_runtime_version(void);
/** What `cudaGetDeviceCount` returns: 0 is success, 35 a driver that is missing or too old, 100 no device. */
int32_t spl_device_count(int32_t *count);
void spl_describe(int32_t device, spl_device *description, spl_error *error);

/** `is_urgent`: its operations come before those of other contexts that wait for room on the device. */
spl_context *spl_open(int32_t device, int32_t is_urgent, spl_error *error);
void spl_close(spl_context *context);
/** Operations queued on one from now on wait for those already queued on the other. */
void spl_after(spl_context *context, const spl_context *other, spl_error *error);
/** Lets kernels of one use vectors of the other; returns whether they can. */
int32_t spl_link(spl_context *context, const spl_context *other, spl_error *error);
void spl_synchronize(spl_context *context, spl_error *error);
/** Memory of the whole device, as reported by the driver. */
void spl_memory(spl_context *context, uint64_t *free_bytes, uint64_t *total_bytes, spl_error *error);
/** Returns released memory to the device. */
void spl_trim(spl_context *context, spl_error *error);
/** Asks the system for large pages, also for memory that is reserved and not yet in use. */
void spl_advise_huge_pages(const void *base, uint64_t bytes);
/** Pins memory of the host, so that copies from and to it are fast and asynchronous. Memory already pinned stays pinned. */
void spl_pin(spl_context *context, const void *base, uint64_t bytes, spl_error *error);
/** Must be called before pinned memory is freed. */
void spl_unpin(const void *base, uint64_t bytes, spl_error *error);

/**
 * Queues a copy on the target's device, between two devices or on one, after all that was queued on either. Operations queued later on
 * the source's device do not wait for it, except after `spl_after`.
 */
void spl_copy(spl_vector *target, uint64_t target_offset, const spl_vector *source, uint64_t source_offset, uint64_t bytes,
              spl_error *error);
/** Queues y[order[i]] ← x[i] over vectors of elements of 4 or 8 bytes; `order` has 32-bit numbers. */
void spl_scatter(spl_vector *y, const spl_vector *x, const spl_vector *order, uint64_t length, uint32_t width, spl_error *error);
/** Compressed rows of 32-bit numbers and values of `width` bytes, each array a vector of at least as many elements. */
typedef struct {
  const spl_vector *row_ptr, *col_idx, *values;
} spl_rows;

/**
 * Queues the transposition of a matrix of rows × cols: `to` ← the rows of the transpose, within each the columns in ascending order. Its
 * vectors may not be those of `from`.
 */
void spl_transpose(uint32_t width, uint32_t rows, uint32_t cols, uint32_t nnz, spl_rows from, spl_rows to, spl_error *error);
/**
 * Plans of matrices whose array of as many bytes is at `offset` of the heap use the vector's memory instead of a copy, if they are made while
 * the vector exists.
 */
void spl_lend(const spl_vector *vector, uint32_t offset, spl_error *error);
/** Elements of a vector, `stride` apart, from element `offset` on. */
typedef struct {
  const spl_vector *vector;
  uint64_t offset;
  uint32_t stride;
} spl_strided;

/** Queues y ← x for `length` elements of 4 or 8 bytes: columns of blocks of vectors. */
void spl_copy_strided(uint32_t width, uint64_t length, spl_strided y, spl_strided x, spl_error *error);
/** Queues a read of a vector of zeros, in whole pieces of 16 bytes. Its time gives the bandwidth of the memory. */
void spl_read(const spl_vector *zeros, spl_error *error);
/** Queues random gathers of f64 from a vector of at least one zero. `count` is rounded down to a multiple of 16384. */
void spl_gather(const spl_vector *zeros, uint32_t count, spl_error *error);

spl_vector *spl_vector_new(spl_context *context, uint64_t bytes, spl_error *error);
/** A slice of a vector. It shares the vector's memory, which is freed with the last of them. */
spl_vector *spl_vector_slice(const spl_vector *vector, uint64_t offset, uint64_t bytes, spl_error *error);
void spl_vector_free(spl_vector *vector);
uint64_t spl_vector_bytes(const spl_vector *vector);
void spl_upload(spl_vector *vector, uint64_t offset, const void *source, uint64_t bytes, spl_error *error);
/** Queues a copy; for memory that is not pinned it returns after the copy. */
void spl_download(spl_vector *vector, uint64_t offset, void *target, uint64_t bytes, spl_error *error);
/** Sets the first bytes to 0; queued. */
void spl_clear(spl_vector *vector, uint64_t bytes, spl_error *error);

/** A method of a kernel, named as in its paper. */
typedef struct {
  const char *name;
  /** The parameters that it accepts; unused places are null. */
  const char *const *parameters;
  size_t parameter_places;
  /** Whether it uses atomic adds: the bits of y may differ from run to run. */
  int32_t is_atomic;
} spl_method;

/** A kernel, for all dtypes and storages of values and columns. */
typedef struct {
  const char *base;
  const char *verb;
  size_t methods;
} spl_kernel;

/** The kernels of this build, and the methods of each; the first is the one expected to be fastest in general. */
size_t spl_kernel_count(void);
spl_kernel spl_kernel_at(size_t kernel);
spl_method spl_method_at(size_t kernel, size_t method);

/**
 * The plan of one stage. `column_bits`: 16 or 32; values are as the header says; `method` may be empty. `matrix`: a number from 1 on for each matrix,
 * whose plans share memory. `patient`: whether the inspection may take the time of thousands of products.
 */
spl_plan *spl_plan_new(spl_context *context, const char *base, const char *verb, int32_t column_bits, int32_t dtype,
                       const uint8_t *heap, uint64_t heap_bytes, uint32_t header, const char *method, uint32_t matrix,
                       int32_t patient, spl_error *error);
void spl_plan_free(spl_plan *plan);
uint64_t spl_plan_bytes(const spl_plan *plan);
const char *spl_plan_method(const spl_plan *plan);
/** Returns how many methods the plan chose among: none if its method was asked for, or its kernel has no choice. The first takes least. */
size_t spl_plan_estimates(const spl_plan *plan);
spl_estimate spl_plan_estimate_at(const spl_plan *plan, size_t place);
/**
 * Finds the methods among which the plan of one stage would choose on a device that is described; arguments as for `spl_plan_new`. Uses no GPU. Writes up to `most` estimates,
 * the least time first, and returns how many.
 */
size_t spl_estimate_methods(const spl_device *device, const char *base, const char *verb, int32_t column_bits, int32_t dtype,
                            const uint8_t *heap, uint64_t heap_bytes, uint32_t header, int32_t patient, spl_estimate *estimates,
                            size_t most, spl_error *error);
/**
 * Queues y ← α A x + β y, and returns. `stride` is 1, or by a plan of blocks of vectors the number of elements from one row of x and y
 * to the next, a multiple of 16 bytes.
 */
void spl_plan_run(spl_plan *plan, const spl_vector *x, spl_vector *y, double alpha, double beta, uint32_t stride,
                  spl_error *error);

/** A factor: a vector of one f64 times a number, or without a vector the number alone. */
typedef struct {
  const spl_vector *slot;
  double times;
} spl_factor;

enum { SPL_ADD, SPL_SUBTRACT, SPL_MULTIPLY, SPL_DIVIDE, SPL_ROOT };

/** Queues slot ← xᵀ y over vectors of elements of 4 or 8 bytes, of equal length; the slot is a vector of one f64. */
void spl_dot(uint32_t width, const spl_vector *x, const spl_vector *y, spl_vector *slot, spl_error *error);
/** Queues y ← a x + b y likewise; x may be y. */
void spl_axpby(uint32_t width, spl_factor a, const spl_vector *x, spl_factor b, spl_vector *y, spl_error *error);
/** Queues y ← d ∘ x, element by element; either of d and x may be y. */
void spl_multiply(uint32_t width, const spl_vector *d, const spl_vector *x, spl_vector *y, spl_error *error);
/** Queues slot ← a ∘ b; the square root uses a alone. */
void spl_compute(int32_t operation, spl_factor a, spl_factor b, spl_vector *slot, spl_error *error);

/** While it is on, operations on vectors and scalars may be queued later, together: before anything else is queued, and when it is turned off. */
void spl_collect(spl_context *context, int32_t is_on, spl_error *error);
/**
 * Operations queued from here on are recorded instead of run, until `spl_record_end`: products and operations on vectors of this
 * context. The graph keeps the objects it uses alive.
 */
void spl_record_begin(spl_context *context, spl_error *error);
spl_graph *spl_record_end(spl_context *context, spl_error *error);
void spl_graph_free(spl_graph *graph);
void spl_graph_launch(spl_graph *graph, spl_error *error);
/**
 * Queues the preparation of a timed operation: a read of that many bytes of other memory, which evicts L2 (0: none), and a short wait,
 * during which the host queues the operation.
 */
void spl_prepare(spl_context *context, uint64_t flush_bytes, spl_error *error);
/** Queues the begin (0) or the end (1) of a timed operation. */
void spl_mark(spl_context *context, int32_t mark, spl_error *error);
/** Milliseconds between the marks by the device's clock, when both have been reached. */
double spl_elapsed(spl_context *context, spl_error *error);

#ifdef __cplusplus
}
#endif
#endif
