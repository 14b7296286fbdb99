/*
 * Waits, errors and arguments. Every wait polls its requests, since MPICH's own waits keep the core: with four ranks on two cores its
 * allreduce takes 5 ms.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <time.h>

#include "sparlane-mpi.h"

/* Polls before a rank with a core of its own lets others have it: some 100 us. */
static const int PATIENT_POLLS = 1000;
/* Polls with a yield after each, before a rank sleeps between polls. */
static const int YIELDS = 200;
static const long NAP_NS = 20000;
/* Time after which the caller may look for what went wrong. */
static const double PATIENCE_S = 0.1;

bool crowded = false;

bool failed(napi_env env, int code, const char* call) {
  if (code == MPI_SUCCESS) return false;
  char text[MPI_MAX_ERROR_STRING + 64];
  char reason[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, reason, &length);
  snprintf(text, sizeof text, "%s: %.*s", call, length, reason);
  napi_throw_error(env, "backend", text);
  return true;
}

void refuse(napi_env env, const char* text) { napi_throw_type_error(env, "argument", text); }

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

Outcome patiently(napi_env env, Outcome (*step)(napi_env env)) {
  double begin = 0;
  for (int poll = 0;; poll++) {
    const Outcome outcome = step(env);
    if (outcome != LATE) return outcome;
    const int polls = crowded ? poll : poll - PATIENT_POLLS;
    if (polls < 0) continue;
    if (polls < YIELDS) {
      sched_yield();
    } else {
      const struct timespec nap = {0, NAP_NS};
      nanosleep(&nap, NULL);
    }
    /* Where other processes have the cores, a yield takes long, too. */
    const double time = now();
    if (begin == 0) begin = time;
    if (time - begin > PATIENCE_S) return LATE;
  }
}

/* `complete` waits for this request. */
static struct {
  int count;
  MPI_Request* requests;
  const char* call;
} awaited;

static Outcome testAll(napi_env env) {
  int done = 0;
  if (failed(env, MPI_Testall(awaited.count, awaited.requests, &done, MPI_STATUSES_IGNORE), awaited.call)) return FAILED;
  return done ? COMPLETE : LATE;
}

Outcome complete(napi_env env, int count, MPI_Request* requests, const char* call) {
  awaited.count = count;
  awaited.requests = requests;
  awaited.call = call;
  return patiently(env, testAll);
}

napi_value outcomeOf(napi_env env, Outcome outcome) {
  napi_value result = NULL;
  if (outcome != FAILED) napi_get_boolean(env, outcome == COMPLETE, &result);
  return result;
}

bool take(napi_env env, napi_callback_info info, size_t expected, Arguments* arguments) {
  arguments->env = env;
  arguments->count = sizeof arguments->values / sizeof *arguments->values;
  napi_get_cb_info(env, info, &arguments->count, arguments->values, NULL, NULL);
  if (arguments->count >= expected) return true;
  refuse(env, "arguments: expected more of them");
  return false;
}

bool viewOf(napi_env env, napi_value value, napi_typedarray_type type, const char* name, View* view) {
  bool isArray = false;
  napi_typedarray_type found;
  if (napi_is_typedarray(env, value, &isArray) == napi_ok && isArray &&
      napi_get_typedarray_info(env, value, &found, &view->length, &view->data, NULL, NULL) == napi_ok && found == type)
    return true;
  char text[96];
  snprintf(text, sizeof text, "%s: expected %s", name, type == napi_uint8_array ? "a Uint8Array" : "an Int32Array");
  refuse(env, text);
  return false;
}

bool intOf(napi_env env, napi_value value, const char* name, int* number) {
  if (napi_get_value_int32(env, value, number) == napi_ok) return true;
  char text[96];
  snprintf(text, sizeof text, "%s: expected an integer", name);
  refuse(env, text);
  return false;
}
