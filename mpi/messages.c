/* Messages that ranks of a program send each other in a group. Nobody waits for a message that is sent: its bytes are copied, and freed when they have left. */
#include <stdlib.h>
#include <string.h>

#include "sparlane-mpi.h"

/* A message that has not left yet, as far as is known. */
typedef struct {
  MPI_Request request;
  void* bytes;
} Leaving;

static Leaving* leaving = NULL;
static int leavingCount = 0;
static int room = 0;

/* Frees what has left. Every call of MPI sends others on. */
static void release(void) {
  int kept = 0;
  for (int i = 0; i < leavingCount; i++) {
    int done = 0;
    MPI_Test(&leaving[i].request, &done, MPI_STATUS_IGNORE);
    if (done) {
      free(leaving[i].bytes);
    } else {
      leaving[kept++] = leaving[i];
    }
  }
  leavingCount = kept;
}

napi_value sendMessage(napi_env env, napi_callback_info info) {
  Arguments given;
  int rank;
  View bytes;
  if (!take(env, info, 3, &given) || !intOf(env, given.values[1], "rank", &rank) ||
      !viewOf(env, given.values[2], napi_uint8_array, "message", &bytes))
    return NULL;
  Group* group = groupOf(env, given.values[0]);
  if (group == NULL) return NULL;
  Mail* mail = &group->mail;
  if (rank < 0 || rank >= mail->size) {
    refuse(env, "rank: expected a rank of the group");
    return NULL;
  }
  release();
  if (leavingCount == room) {
    room = 2 * room + 16;
    leaving = realloc(leaving, sizeof(Leaving) * (size_t)room);
  }
  Leaving* message = &leaving[leavingCount];
  message->bytes = malloc(bytes.length + 1);
  if (message->bytes == NULL) {
    refuse(env, "message: expected one that fits into the memory");
    return NULL;
  }
  memcpy(message->bytes, bytes.data, bytes.length);
  const int code = MPI_Isend(message->bytes, (int)bytes.length, MPI_BYTE, rank, MESSAGE_TAG, mail->comm, &message->request);
  if (failed(env, code, "MPI_Isend")) {
    free(message->bytes);
    return NULL;
  }
  leavingCount++;
  mail->told[rank]++;
  return NULL;
}

static Mail* awaitedMail;
static int awaitedRank;
static Letter found;

static Outcome look(napi_env env) {
  if (!findMail(env, awaitedMail, awaitedRank, &found)) return FAILED;
  return found.length >= 0 ? COMPLETE : LATE;
}

napi_value receiveMessage(napi_env env, napi_callback_info info) {
  Arguments given;
  if (!take(env, info, 2, &given) || !intOf(env, given.values[1], "rank", &awaitedRank)) return NULL;
  Group* group = groupOf(env, given.values[0]);
  if (group == NULL) return NULL;
  awaitedMail = &group->mail;
  release();
  return patiently(env, look) == COMPLETE ? takeMail(env, awaitedMail, &found) : NULL;
}

void finishMessages(void) {
  while (leavingCount > 0) release();
}
