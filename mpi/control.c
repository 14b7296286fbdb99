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

static Mail control;
/* KINDS for each rank. */
static Message* sent = NULL;

bool openControl(napi_env env) {
  if (sent != NULL) return true;
  MPI_Comm comm;
  if (failed(env, MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup")) return false;
  openMail(comm, &control);
  sent = calloc((size_t)control.size * KINDS, sizeof(Message));
  for (int i = 0; i < control.size * KINDS; i++) sent[i].request = MPI_REQUEST_NULL;
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
  if (rank < 0 || rank >= control.size || kind < 0 || kind >= KINDS) {
    refuse(env, "rank and kind: expected a rank of init, and 0, 1 or 2");
    return NULL;
  }
  Message* message = &sent[rank * KINDS + kind];
  const bool isSent = isFree(message);
  if (isSent) {
    message->bytes = malloc(bytes.length + 1);
    memcpy(message->bytes, bytes.data, bytes.length);
    /* Synchronous: complete when it is received. */
    const int code = MPI_Issend(message->bytes, (int)bytes.length, MPI_BYTE, rank, MESSAGE_TAG, control.comm, &message->request);
    if (failed(env, code, "MPI_Issend")) return NULL;
    control.told[rank]++;
  }
  napi_value result;
  napi_get_boolean(env, isSent, &result);
  return result;
}

napi_value hear(napi_env env, napi_callback_info info) {
  (void)info;
  Letter letter;
  return findMail(env, &control, MPI_ANY_SOURCE, &letter) && letter.length >= 0 ? takeMail(env, &control, &letter) : NULL;
}

/* Called by all ranks. */
bool closeControl(napi_env env) {
  if (!drainMail(env, &control)) return false;
  for (int i = 0; i < control.size * KINDS; i++)
    while (!isFree(&sent[i])) {
    }
  return !failed(env, MPI_Comm_free(&control.comm), "MPI_Comm_free");
}
