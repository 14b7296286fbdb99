/*
 * Messages beside those of the ranks' work, on a communicator of their own: what ranks that wait for long tell each other. They are short, and nobody
 * waits for them. A rank that never hears holds one of each kind from each other rank: the next one is sent when it has been received.
 */
#include <stdlib.h>
#include <string.h>

#include "sparlane-mpi.h"

enum { KINDS = 3 };

/* The latest message of a kind to a rank. */
typedef struct {
  MPI_Request request;
  void* bytes;
} Message;

static MPI_Comm control;
static int size = 0;
/* KINDS for each rank. */
static Message* sent = NULL;
/* Messages to each rank so far, and those that this one has heard. */
static int* told = NULL;
static int heard = 0;

bool openControl(napi_env env) {
  if (told != NULL) return true;
  if (failed(env, MPI_Comm_dup(MPI_COMM_WORLD, &control), "MPI_Comm_dup")) return false;
  MPI_Comm_size(control, &size);
  told = calloc((size_t)size, sizeof(int));
  sent = calloc((size_t)size * KINDS, sizeof(Message));
  for (int i = 0; i < size * KINDS; i++) sent[i].request = MPI_REQUEST_NULL;
  return true;
}

/* Whether nothing of this kind is on its way. */
static bool isFree(Message* message) {
  int done = 0;
  MPI_Test(&message->request, &done, MPI_STATUS_IGNORE);
  if (!done) return false;
  free(message->bytes);
  message->bytes = NULL;
  return true;
}

napi_value tell(napi_env env, napi_callback_info info) {
  Arguments given;
  int rank, kind;
  View bytes;
  if (!take(env, info, 3, &given) || !intOf(env, given.values[0], "rank", &rank) || !intOf(env, given.values[1], "kind", &kind) ||
      !viewOf(env, given.values[2], napi_uint8_array, "message", &bytes))
    return NULL;
  if (rank < 0 || rank >= size || kind < 0 || kind >= KINDS) {
    refuse(env, "rank and kind: expected a rank of init, and 0, 1 or 2");
    return NULL;
  }
  Message* message = &sent[rank * KINDS + kind];
  const bool isSent = isFree(message);
  if (isSent) {
    message->bytes = malloc(bytes.length + 1);
    memcpy(message->bytes, bytes.data, bytes.length);
    /* Synchronous: complete when it is received. */
    const int code = MPI_Issend(message->bytes, (int)bytes.length, MPI_BYTE, rank, 0, control, &message->request);
    if (failed(env, code, "MPI_Issend")) return NULL;
    told[rank]++;
  }
  napi_value result;
  napi_get_boolean(env, isSent, &result);
  return result;
}

napi_value hear(napi_env env, napi_callback_info info) {
  (void)info;
  int isThere = 0, length = 0;
  MPI_Status status;
  if (failed(env, MPI_Iprobe(MPI_ANY_SOURCE, 0, control, &isThere, &status), "MPI_Iprobe") || !isThere) return NULL;
  MPI_Get_count(&status, MPI_BYTE, &length);
  void* data;
  napi_value buffer, message;
  napi_create_arraybuffer(env, (size_t)length, &data, &buffer);
  napi_create_typedarray(env, napi_uint8_array, (size_t)length, buffer, 0, &message);
  const int code = MPI_Recv(data, length, MPI_BYTE, status.MPI_SOURCE, 0, control, MPI_STATUS_IGNORE);
  if (failed(env, code, "MPI_Recv")) return NULL;
  heard++;
  return message;
}

/* Receives what nobody has heard, so that nothing is on its way when MPI ends. Called by all ranks. */
bool closeControl(napi_env env) {
  int expected = 0;
  int* counts = malloc(sizeof(int) * (size_t)size);
  for (int r = 0; r < size; r++) counts[r] = 1;
  const int code = MPI_Reduce_scatter(told, &expected, counts, MPI_INT, MPI_SUM, control);
  free(counts);
  if (failed(env, code, "MPI_Reduce_scatter")) return false;
  for (; heard < expected; heard++) {
    MPI_Status status;
    int length = 0;
    MPI_Probe(MPI_ANY_SOURCE, 0, control, &status);
    MPI_Get_count(&status, MPI_BYTE, &length);
    void* bytes = malloc((size_t)length + 1);
    MPI_Recv(bytes, length, MPI_BYTE, status.MPI_SOURCE, 0, control, MPI_STATUS_IGNORE);
    free(bytes);
  }
  for (int i = 0; i < size * KINDS; i++)
    while (!isFree(&sent[i])) {
    }
  return !failed(env, MPI_Comm_free(&control), "MPI_Comm_free");
}
