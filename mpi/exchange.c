/* Exchanges with neighbours: persistent messages, right from and to the arrays. An exchange is a place in a table, never used again. */
#include <stdlib.h>

#include "sparlane-mpi.h"

/* Receives come before sends. */
typedef struct {
  int count;
  int receives;
  bool isActive;
  MPI_Request* requests;
} Exchange;

static Exchange* exchanges = NULL;
static int exchangeCount = 0;

/* Prepares a message for each rank. */
static bool prepare(napi_env env, MPI_Comm comm, napi_value ranks, napi_value arrays, int tag, bool sends, Exchange* exchange) {
  View others;
  uint32_t count = 0;
  if (!viewOf(env, ranks, napi_int32_array, "ranks", &others)) return false;
  if (napi_get_array_length(env, arrays, &count) != napi_ok || count != others.length) {
    refuse(env, "arrays: expected one for each rank");
    return false;
  }
  exchange->requests = realloc(exchange->requests, sizeof(MPI_Request) * ((size_t)exchange->count + count + 1));
  for (uint32_t i = 0; i < count; i++) {
    napi_value element;
    View bytes;
    napi_get_element(env, arrays, i, &element);
    if (!viewOf(env, element, napi_uint8_array, "array", &bytes)) return false;
    const int other = ((const int*)others.data)[i];
    MPI_Request* request = &exchange->requests[exchange->count];
    const int length = (int)bytes.length;
    const int code = sends ? MPI_Send_init(bytes.data, length, MPI_BYTE, other, tag, comm, request)
                           : MPI_Recv_init(bytes.data, length, MPI_BYTE, other, tag, comm, request);
    if (failed(env, code, sends ? "MPI_Send_init" : "MPI_Recv_init")) return false;
    exchange->count++;
  }
  return true;
}

/* Where the ranks are out of step, messages may still be awaited: nothing must arrive in memory that is used again. */
static void discard(Exchange* exchange) {
  for (int i = 0; i < exchange->count; i++) {
    if (exchange->isActive && i < exchange->receives) MPI_Cancel(&exchange->requests[i]);
    MPI_Request_free(&exchange->requests[i]);
  }
  free(exchange->requests);
  exchange->requests = NULL;
  exchange->count = 0;
}

napi_value newExchange(napi_env env, napi_callback_info info) {
  Arguments given;
  int tag;
  if (!take(env, info, 6, &given) || !intOf(env, given.values[1], "tag", &tag)) return NULL;
  const Group* group = groupOf(env, given.values[0]);
  if (group == NULL) return NULL;
  Exchange exchange = {0, 0, false, NULL};
  /* Receives first: they are then posted when the messages arrive. */
  bool isPrepared = prepare(env, group->mail.comm, given.values[4], given.values[5], tag, false, &exchange);
  exchange.receives = exchange.count;
  isPrepared = isPrepared && prepare(env, group->mail.comm, given.values[2], given.values[3], tag, true, &exchange);
  if (!isPrepared) {
    discard(&exchange);
    return NULL;
  }
  exchanges = realloc(exchanges, sizeof(Exchange) * (size_t)(exchangeCount + 1));
  exchanges[exchangeCount] = exchange;
  napi_value result;
  napi_create_int32(env, exchangeCount++, &result);
  return result;
}

static Exchange* exchangeOf(napi_env env, napi_callback_info info) {
  Arguments given;
  int handle;
  if (!take(env, info, 1, &given) || !intOf(env, given.values[0], "exchange", &handle)) return NULL;
  if (handle >= 0 && handle < exchangeCount && exchanges[handle].requests != NULL) return &exchanges[handle];
  refuse(env, "exchange: expected one that is in use");
  return NULL;
}

napi_value startExchange(napi_env env, napi_callback_info info) {
  Exchange* exchange = exchangeOf(env, info);
  if (exchange == NULL || exchange->count == 0) return NULL;
  exchange->isActive = true;
  failed(env, MPI_Startall(exchange->count, exchange->requests), "MPI_Startall");
  return NULL;
}

napi_value finishExchange(napi_env env, napi_callback_info info) {
  Exchange* exchange = exchangeOf(env, info);
  if (exchange == NULL) return NULL;
  const Outcome outcome = complete(env, exchange->count, exchange->requests, "MPI_Testall");
  if (outcome == COMPLETE) exchange->isActive = false;
  return outcomeOf(env, outcome);
}

napi_value unfinishedMessages(napi_env env, napi_callback_info info) {
  Exchange* exchange = exchangeOf(env, info);
  if (exchange == NULL) return NULL;
  void* data;
  napi_value buffer, result;
  napi_create_arraybuffer(env, sizeof(int) * (size_t)exchange->count, &data, &buffer);
  size_t count = 0;
  for (int i = 0; i < exchange->count; i++) {
    int done = 0;
    if (failed(env, MPI_Request_get_status(exchange->requests[i], &done, MPI_STATUS_IGNORE), "MPI_Request_get_status"))
      return NULL;
    if (!done) ((int*)data)[count++] = i;
  }
  napi_create_typedarray(env, napi_int32_array, count, buffer, 0, &result);
  return result;
}

napi_value releaseExchange(napi_env env, napi_callback_info info) {
  Exchange* exchange = exchangeOf(env, info);
  if (exchange != NULL) discard(exchange);
  return NULL;
}
