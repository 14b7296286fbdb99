/*
 * Which ranks have something for this one, and how much: each rank tells only those for which it has something. Messages are synchronous, so who has
 * sent all of them enters a barrier; when all are in it, nothing is on its way any more.
 *
 * Source: Hoefler, Siebert & Lumsdaine, "Scalable communication protocols for dynamic sparse data exchange", PPoPP 2010 (NBX).
 */
#include <stdlib.h>

#include "sparlane-mpi.h"

/* One exchange at most is under way. */
static struct {
  MPI_Comm comm;
  int sends;
  MPI_Request* requests;
  int* counts;
  MPI_Request barrier;
  bool isInBarrier;
  /* Each rank comes before its count. */
  int* found;
  int foundCount;
} sparseCall;

/* Receives one count, if one has come. */
static bool receiveOne(napi_env env) {
  int isThere = 0;
  MPI_Status status;
  if (failed(env, MPI_Iprobe(MPI_ANY_SOURCE, COUNT_TAG, sparseCall.comm, &isThere, &status), "MPI_Iprobe")) return false;
  if (!isThere) return true;
  sparseCall.found = realloc(sparseCall.found, sizeof(int) * 2 * (size_t)(sparseCall.foundCount + 1));
  int* pair = &sparseCall.found[2 * sparseCall.foundCount++];
  pair[0] = status.MPI_SOURCE;
  return !failed(env, MPI_Recv(&pair[1], 1, MPI_INT, status.MPI_SOURCE, COUNT_TAG, sparseCall.comm, MPI_STATUS_IGNORE),
                 "MPI_Recv");
}

static Outcome step(napi_env env) {
  if (!receiveOne(env)) return FAILED;
  int done = 0;
  if (sparseCall.isInBarrier) {
    if (failed(env, MPI_Test(&sparseCall.barrier, &done, MPI_STATUS_IGNORE), "MPI_Ibarrier")) return FAILED;
    return done ? COMPLETE : LATE;
  }
  if (failed(env, MPI_Testall(sparseCall.sends, sparseCall.requests, &done, MPI_STATUSES_IGNORE), "MPI_Issend")) return FAILED;
  if (!done) return LATE;
  sparseCall.isInBarrier = true;
  return failed(env, MPI_Ibarrier(sparseCall.comm, &sparseCall.barrier), "MPI_Ibarrier") ? FAILED : LATE;
}

napi_value tellCounts(napi_env env, napi_callback_info info) {
  Arguments given;
  View ranks, counts;
  if (!take(env, info, 3, &given) || !viewOf(env, given.values[1], napi_int32_array, "ranks", &ranks) ||
      !viewOf(env, given.values[2], napi_int32_array, "counts", &counts))
    return NULL;
  const Group* group = groupOf(env, given.values[0]);
  if (group == NULL) return NULL;
  if (ranks.length != counts.length) {
    refuse(env, "counts: expected one for each rank");
    return NULL;
  }
  sparseCall.comm = group->mail.comm;
  sparseCall.sends = (int)ranks.length;
  sparseCall.requests = realloc(sparseCall.requests, sizeof(MPI_Request) * (ranks.length + 1));
  sparseCall.counts = realloc(sparseCall.counts, sizeof(int) * (ranks.length + 1));
  sparseCall.isInBarrier = false;
  sparseCall.foundCount = 0;
  for (size_t i = 0; i < ranks.length; i++) {
    sparseCall.counts[i] = ((const int*)counts.data)[i];
    const int code = MPI_Issend(&sparseCall.counts[i], 1, MPI_INT, ((const int*)ranks.data)[i], COUNT_TAG, sparseCall.comm,
                                &sparseCall.requests[i]);
    if (failed(env, code, "MPI_Issend")) return NULL;
  }
  return outcomeOf(env, patiently(env, step));
}

napi_value goOnCounts(napi_env env, napi_callback_info info) {
  (void)info;
  return outcomeOf(env, patiently(env, step));
}

/* Returns each rank before its count, as they came. */
napi_value foundCounts(napi_env env, napi_callback_info info) {
  (void)info;
  void* data;
  napi_value buffer, result;
  const size_t length = 2 * (size_t)sparseCall.foundCount;
  napi_create_arraybuffer(env, sizeof(int) * length, &data, &buffer);
  for (size_t i = 0; i < length; i++) ((int*)data)[i] = sparseCall.found[i];
  napi_create_typedarray(env, napi_int32_array, length, buffer, 0, &result);
  return result;
}
