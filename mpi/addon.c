/*
 * The addon: implements `index.d.ts` over MPI. Only the thread that called `init` calls MPI (MPI_THREAD_FUNNELED).
 *
 * Bytes are sent and received where typed arrays have them, also in a shared WebAssembly memory, whose base does not move when it grows.
 */
#include <stdlib.h>
#include <unistd.h>

#include "lifeline.h"
#include "sparlane-mpi.h"

static napi_value library(napi_env env, napi_callback_info info) {
  (void)info;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  if (failed(env, MPI_Get_library_version(text, &length), "MPI_Get_library_version")) return NULL;
  napi_value result;
  napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &result);
  return result;
}

static void setNumber(napi_env env, napi_value object, const char* name, int number) {
  napi_value value;
  napi_create_int32(env, number, &value);
  napi_set_named_property(env, object, name, value);
}

/* True if ranks are on several hosts. */
static bool isSpread = false;

static napi_value init(napi_env env, napi_callback_info info) {
  (void)info;
  int rank, size, place, neighbours, provided, ready = 0;
  MPI_Initialized(&ready);
  if (!ready && failed(env, MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread")) return NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm near;
  if (failed(env, MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &near), "MPI_Comm_split_type"))
    return NULL;
  MPI_Comm_rank(near, &place);
  MPI_Comm_size(near, &neighbours);
  MPI_Comm_free(&near);
  isSpread = neighbours < size;
  if (!openControl(env) || !openGroups(env)) return NULL;
  napi_value result;
  napi_create_object(env, &result);
  setNumber(env, result, "rank", rank);
  setNumber(env, result, "size", size);
  setNumber(env, result, "place", place);
  setNumber(env, result, "neighbours", neighbours);
  setNumber(env, result, "tags", MESSAGE_TAG);
  return result;
}

static napi_value setCrowded(napi_env env, napi_callback_info info) {
  Arguments given;
  if (take(env, info, 1, &given)) napi_get_value_bool(env, given.values[0], &crowded);
  return NULL;
}

/* The collective call that is under way, and what it reads until it is complete. */
static struct {
  MPI_Request request;
  const char* name;
  int* places;
} underWay;

static const char GATHER[] = "MPI_Iallgather";

static napi_value waitForCall(napi_env env) {
  const Outcome outcome = complete(env, 1, &underWay.request, underWay.name);
  if (outcome == COMPLETE) {
    free(underWay.places);
    underWay.places = NULL;
  }
  return outcomeOf(env, outcome);
}

/* @param code of the call that has begun */
static napi_value begun(napi_env env, int code, const char* name) {
  underWay.name = name;
  return failed(env, code, name) ? NULL : waitForCall(env);
}

static napi_value goOn(napi_env env, napi_callback_info info) {
  (void)info;
  return waitForCall(env);
}

/* Begins to gather as many bytes of every rank. @param inGroup whether the request is that of the group, or that of the call that is under way */
static bool beginGather(napi_env env, napi_callback_info info, bool inGroup) {
  Arguments given;
  View mine, all;
  if (!take(env, info, 3, &given) || !viewOf(env, given.values[1], napi_uint8_array, "mine", &mine) ||
      !viewOf(env, given.values[2], napi_uint8_array, "all", &all))
    return false;
  Group* group = groupOf(env, given.values[0]);
  if (group == NULL) return false;
  int size;
  MPI_Comm_size(group->mail.comm, &size);
  if (all.length != mine.length * (size_t)size) {
    refuse(env, "all: expected the bytes of all ranks");
    return false;
  }
  const int count = (int)mine.length;
  MPI_Request* request = inGroup ? &group->gather : &underWay.request;
  return !failed(env, MPI_Iallgather(mine.data, count, MPI_BYTE, all.data, count, MPI_BYTE, group->mail.comm, request), GATHER);
}

static napi_value gather(napi_env env, napi_callback_info info) {
  underWay.name = GATHER;
  return beginGather(env, info, false) ? waitForCall(env) : NULL;
}

static napi_value startGather(napi_env env, napi_callback_info info) {
  beginGather(env, info, true);
  return NULL;
}

static napi_value finishGather(napi_env env, napi_callback_info info) {
  Arguments given;
  if (!take(env, info, 1, &given)) return NULL;
  Group* group = groupOf(env, given.values[0]);
  return group == NULL ? NULL : outcomeOf(env, complete(env, 1, &group->gather, GATHER));
}

static napi_value gatherCounts(napi_env env, napi_callback_info info) {
  Arguments given;
  View mine, counts, all;
  if (!take(env, info, 4, &given) || !viewOf(env, given.values[1], napi_uint8_array, "mine", &mine) ||
      !viewOf(env, given.values[2], napi_int32_array, "counts", &counts) ||
      !viewOf(env, given.values[3], napi_uint8_array, "all", &all))
    return NULL;
  const Group* group = groupOf(env, given.values[0]);
  if (group == NULL) return NULL;
  int size, rank;
  MPI_Comm_size(group->mail.comm, &size);
  MPI_Comm_rank(group->mail.comm, &rank);
  const int* bytes = counts.data;
  int* places = malloc(sizeof(int) * (size_t)size);
  size_t total = 0;
  for (int r = 0; r < size && (size_t)r < counts.length; r++) {
    places[r] = (int)total;
    total += (size_t)bytes[r];
  }
  if (counts.length != (size_t)size || total != all.length || (size_t)bytes[rank] != mine.length) {
    refuse(env, "counts: expected the bytes of every rank");
    free(places);
    return NULL;
  }
  underWay.places = places;
  const int code =
      MPI_Iallgatherv(mine.data, bytes[rank], MPI_BYTE, all.data, bytes, places, MPI_BYTE, group->mail.comm, &underWay.request);
  return begun(env, code, "MPI_Iallgatherv");
}

static napi_value broadcast(napi_env env, napi_callback_info info) {
  Arguments given;
  View bytes;
  int root;
  if (!take(env, info, 3, &given) || !viewOf(env, given.values[1], napi_uint8_array, "bytes", &bytes) ||
      !intOf(env, given.values[2], "root", &root))
    return NULL;
  const Group* group = groupOf(env, given.values[0]);
  if (group == NULL) return NULL;
  const int code = MPI_Ibcast(bytes.data, (int)bytes.length, MPI_BYTE, root, group->mail.comm, &underWay.request);
  return begun(env, code, "MPI_Ibcast");
}

/*
 * Whether this rank has told the mpirun of MPICH that it ends, as the last line of MPI_Finalize does, because that call itself may not return. Before
 * MPICH 4.2, a rank waits there for connections of UCX to close, while others that have closed theirs wait for it in the launcher and do not answer (pull
 * request 6596 of MPICH). Of programs on four hosts a third did not end. Called by all ranks, when nothing is on its way.
 */
static bool hasLeftMpich(void) {
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40200000
  static const char line[] = "cmd=finalize\n";
  const char* connection = getenv("PMI_FD");
  char answer[256];
  if (connection == NULL || !isSpread) return false;
  MPI_Barrier(MPI_COMM_WORLD);
  return write(atoi(connection), line, sizeof line - 1) > 0 && read(atoi(connection), answer, sizeof answer) > 0;
#else
  return false;
#endif
}

static napi_value finalize(napi_env env, napi_callback_info info) {
  (void)info;
  int done = 0;
  MPI_Finalized(&done);
  const bool isClosed = !done && closeControl(env) && closeGroups(env);
  if (isClosed) tellGuard(LEAVES);
  if (isClosed && !hasLeftMpich()) failed(env, MPI_Finalize(), "MPI_Finalize");
  return NULL;
}

static int abortCode = 1;

static void leaveAtOnce(void) { _exit(abortCode); }

static napi_value stop(napi_env env, napi_callback_info info) {
  Arguments given;
  if (take(env, info, 1, &given)) intOf(env, given.values[0], "code", &abortCode);
  /* MPI_Abort may call exit(), whose other handlers free what Node's threads still use: a crash, or a wait for ever. The last one comes first. */
  atexit(leaveAtOnce);
  tellGuard(ENDS_ALL);
  MPI_Abort(MPI_COMM_WORLD, abortCode);
  return NULL;
}

NAPI_MODULE_INIT() {
  const struct {
    const char* name;
    napi_callback function;
  } functions[] = {
      {"library", library},
      {"init", init},
      {"split", splitGroup},
      {"setCrowded", setCrowded},
      {"gather", gather},
      {"gatherCounts", gatherCounts},
      {"broadcast", broadcast},
      {"goOn", goOn},
      {"startGather", startGather},
      {"finishGather", finishGather},
      {"exchange", newExchange},
      {"start", startExchange},
      {"finish", finishExchange},
      {"unfinished", unfinishedMessages},
      {"release", releaseExchange},
      {"tellCounts", tellCounts},
      {"goOnCounts", goOnCounts},
      {"foundCounts", foundCounts},
      {"tell", tell},
      {"hear", hear},
      {"send", sendMessage},
      {"receive", receiveMessage},
      {"openLastCall", openLastCall},
      {"noteCall", noteCall},
      {"joinGuard", joinGuard},
      {"finalize", finalize},
      {"abort", stop},
  };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    napi_value function;
    napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, functions[i].function, NULL, &function);
    napi_set_named_property(env, exports, functions[i].name, function);
  }
  return exports;
}
