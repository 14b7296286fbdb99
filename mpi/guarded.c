/* A rank's side of the guard: its connection, and a thread that heeds it. */
#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lifeline.h"
#include "sparlane-mpi.h"

/* A guard that cannot be reached must not hold up the ranks. Chosen. */
static const struct timeval CONNECT_TIME = {.tv_sec = 2};

static LastCall* call = NULL;
static int connection = -1;
/* The guard is told of the end of this rank once. */
static atomic_bool hasLeft = false;
/* This rank reports the loss of the guard, and of rank 0 with it, which are on another host. */
static bool isDeputy = false;
static Hello hello, ofRank0;
/* What a signal did before, by its number. */
static struct sigaction before[NSIG];

napi_value openLastCall(napi_env env, napi_callback_info info) {
  (void)info;
  const int file = memfd_create("sparlane-last-call", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, sizeof *call) != 0 || (call = mapLastCall(file)) == NULL) {
    refuse(env, "last call: expected memory");
    return NULL;
  }
  napi_value result;
  napi_create_int32(env, file, &result);
  return result;
}

napi_value noteCall(napi_env env, napi_callback_info info) {
  Arguments given;
  if (call == NULL || !take(env, info, 1, &given)) return NULL;
  const int32_t next = 1 - atomic_load(&call->latest);
  napi_get_value_string_utf8(env, given.values[0], call->texts[next], CALL_BYTES, NULL);
  atomic_store(&call->latest, next);
  return NULL;
}

void tellGuard(char message) {
  if (connection < 0 || atomic_exchange(&hasLeft, true)) return;
  send(connection, &message, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Whoever ends the program by a signal knows why. The signal then does what it did before. */
static void endBySignal(int number) {
  const int error = errno;
  tellGuard(ENDS_ALL);
  errno = error;
  sigaction(number, &before[number], NULL);
  raise(number);
}

static void* heedGuard(void* unused) {
  char message;
  const ssize_t got = recv(connection, &message, 1, 0);
  if (hasLeft) return unused;
  if (got <= 0 && isDeputy) reportLoss(&ofRank0, got == 0 || errno == ECONNRESET, call, hello.rank);
  if (hello.endsItself) _exit(1);
  return unused;
}

static bool connectTo(const char* host, const char* port) {
  const struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
  struct addrinfo* found;
  if (getaddrinfo(host, port, &wanted, &found) != 0) return false;
  for (const struct addrinfo* at = found; at != NULL && connection < 0; at = at->ai_next) {
    connection = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, 0);
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &CONNECT_TIME, sizeof CONNECT_TIME);
    if (connect(connection, at->ai_addr, at->ai_addrlen) == 0) break;
    close(connection);
    connection = -1;
  }
  freeaddrinfo(found);
  return connection >= 0;
}

static void textOf(napi_env env, napi_value value, char* text, size_t length) {
  napi_get_value_string_utf8(env, value, text, length, NULL);
}

static bool startThread(void) {
  sigset_t all, mine;
  pthread_t thread;
  /* Signals are for the threads of the program. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mine);
  const bool isStarted = pthread_create(&thread, NULL, heedGuard, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &mine, NULL);
  if (isStarted) pthread_detach(thread);
  return isStarted;
}

napi_value joinGuard(napi_env env, napi_callback_info info) {
  Arguments given;
  char host[256], port[8];
  View signals;
  if (connection >= 0 || !take(env, info, 7, &given) || !viewOf(env, given.values[5], napi_int32_array, "signals", &signals))
    return NULL;
  textOf(env, given.values[0], host, sizeof host);
  textOf(env, given.values[1], port, sizeof port);
  textOf(env, given.values[2], hello.word, sizeof hello.word);
  textOf(env, given.values[3], hello.host, sizeof hello.host);
  textOf(env, given.values[4], ofRank0.host, sizeof ofRank0.host);
  bool endsItself = false;
  napi_get_value_bool(env, given.values[6], &endsItself);
  hello.endsItself = endsItself;
  isDeputy = ofRank0.host[0] != 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &hello.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &hello.size);
  ofRank0.size = hello.size;
  if (!connectTo(host, port)) return NULL;
  if (endsItself) keepAlive(connection);
  if (send(connection, &hello, sizeof hello, MSG_NOSIGNAL) != sizeof hello || !startThread()) return NULL;
  const struct sigaction action = {.sa_handler = endBySignal};
  const int* numbers = signals.data;
  for (size_t i = 0; i < signals.length; i++) sigaction(numbers[i], &action, &before[numbers[i]]);
  return NULL;
}
