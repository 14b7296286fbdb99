/** The C interface for ranks that are threads of one process, each with a device or a share of one: `ranks.cu`. */
#ifndef SPARLANE_RANKS_H
#define SPARLANE_RANKS_H
#include "api/sparlane.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spl_event spl_event;

/** Whether one device can use the memory of another one. */
int32_t spl_reaches(int32_t device, int32_t other, spl_error *error);
/** A point in the queue of a context, that queues of any device and thread can wait for. */
spl_event *spl_event_new(spl_context *context, spl_error *error);
void spl_event_free(spl_event *event);
/** The event happens when all that was queued on its context is done. */
void spl_event_record(spl_event *event, spl_error *error);
/** Operations queued on the context from now on wait for the latest record of the event. */
void spl_event_await(spl_context *context, const spl_event *event, spl_error *error);
/** A number by which another thread of the process takes the object, once. The object lives as long as any thread has it. */
uint32_t spl_offer_vector(const spl_vector *vector);
uint32_t spl_offer_event(const spl_event *event);
/** Lets the device of the context use the vector. */
spl_vector *spl_take_vector(spl_context *context, uint32_t ticket, spl_error *error);
spl_event *spl_take_event(uint32_t ticket, spl_error *error);
/** Queues a copy on the context, which waits for nothing else: between vectors of any devices. */
void spl_draw(spl_context *context, spl_vector *target, uint64_t target_offset, const spl_vector *source, uint64_t source_offset,
              uint64_t bytes, spl_error *error);
/** Queues y[i] ← x[places[i]] on the context of y; `places` has 32-bit numbers. */
void spl_pick(uint32_t width, uint64_t length, spl_vector *y, const spl_vector *x, const spl_vector *places, spl_error *error);
/** Queues y[places[i]] ← y[places[i]] + x[i] likewise, for different places. */
void spl_add_at(uint32_t width, uint64_t length, spl_vector *y, const spl_vector *x, const spl_vector *places, spl_error *error);

/** Most vectors of a call of the two that follow: they are arguments of a kernel. */
enum { SPL_MOST_SLOTS = 16 };

/** Queues targets[r][offset + s] ← slots[s] for vectors of f64, `ranks` targets and `count` slots of one element. */
void spl_spread(spl_context *context, spl_vector *const *targets, uint32_t ranks, uint64_t offset, spl_vector *const *slots,
                uint32_t count, spl_error *error);
/** Queues slots[s] ← Σ frames[offset + r stride + s] over the ranks, by halves. */
void spl_add_ranks(spl_context *context, const spl_vector *frames, uint64_t offset, uint32_t ranks, uint32_t stride,
                   spl_vector *const *slots, uint32_t count, spl_error *error);

#ifdef __cplusplus
}
#endif
#endif
