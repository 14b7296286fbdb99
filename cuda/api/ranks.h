/** This is the C interface of `ranks.cu`, for ranks of one machine, threads or processes, each with a device of its own. */
#ifndef SPARLANE_RANKS_H
#define SPARLANE_RANKS_H
#include "api/sparlane.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SPL_IDENTITY = 16, SPL_TICKET = 112 };

/** Writes SPL_IDENTITY bytes by which every process of every machine knows the device. */
void spl_identity(int32_t device, uint8_t *identity, spl_error *error);
/** Whether the device can use the memory of the device with this identity, which this process must see. */
int32_t spl_reaches(int32_t device, const uint8_t *identity, spl_error *error);
/**
 * Returns a vector of zeros that other ranks can take. When it is freed its memory is kept for the next one, because others may have it open: it belongs to
 * the context, and they must write nothing more when either ends.
 */
spl_vector *spl_shared_vector_new(spl_context *context, uint64_t bytes, spl_error *error);
/** Writes SPL_TICKET bytes by which other ranks take the vector: a shared one, or a slice of it. */
void spl_offer_vector(const spl_vector *vector, uint8_t *ticket, spl_error *error);
/** Lets the device of the context use the vector. */
spl_vector *spl_take_vector(spl_context *context, const uint8_t *ticket, spl_error *error);
/** Queues y[i] ← x[places[i]] on the context of y; `places` has 32-bit numbers. */
void spl_pick(uint32_t width, uint64_t length, spl_vector *y, const spl_vector *x, const spl_vector *places, spl_error *error);
/** Queues y[places[i]] ← y[places[i]] + x[i] likewise, for different places. */
void spl_add_at(uint32_t width, uint64_t length, spl_vector *y, const spl_vector *x, const spl_vector *places, spl_error *error);

/** At most so many ranks exchange elements, and a frame for sums has so many bytes. `spl_push` sends 0 for the place SPL_NO_PLACE. */
enum { SPL_MOST_RANKS = 16, SPL_SUM_FRAME = 4096 };
#define SPL_NO_PLACE UINT32_MAX

/**
 * Begins a turn of an exchange: queues writes of elements of `width` bytes to frames of other devices, x[places[i]] for i below `ends[0]` to the
 * first one, and so on. `turns`: 8 bytes, zeros at first, of this exchange. `frames`: for even and odd turns, two for each destination, zeros at
 * first; 2 `width` bytes for each element. The destinations are at most the most ranks.
 */
void spl_push(uint32_t width, spl_vector *turns, const spl_vector *x, const spl_vector *places, const uint32_t *ends,
              spl_vector *const *frames, uint32_t count, spl_error *error);
/** Ends a turn of an exchange: queues a wait until all of a frame has arrived, and y[i] ← element i of the frame for i below `length`. */
void spl_take(uint32_t width, spl_vector *turns, spl_vector *y, uint32_t length, const spl_vector *even, const spl_vector *odd,
              spl_error *error);
/**
 * Dot products of the context are from now on sums over ranks, by halves, which wait for those of the others. `frames`: those of all ranks, zeros at first,
 * which live as long as the context is used.
 */
void spl_join_ranks(spl_context *context, spl_vector *const *frames, uint32_t ranks, uint32_t rank, spl_error *error);

#ifdef __cplusplus
}
#endif
#endif
