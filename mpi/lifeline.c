#define _GNU_SOURCE
#include "lifeline.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* Chosen: a host that is cut off is noticed within three seconds. TCP sends no probes while it repeats what was not acknowledged, so that ends after as long. */
enum { IDLE_S = 1, INTERVAL_S = 1, PROBES = 2, UNANSWERED_MS = 1000 * (IDLE_S + PROBES * INTERVAL_S) };

LastCall* mapLastCall(int file) {
  LastCall* call = mmap(NULL, sizeof *call, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return call == MAP_FAILED ? NULL : call;
}

void keepAlive(int connection) {
  const struct {
    int level, name, value;
  } options[] = {
      {SOL_SOCKET, SO_KEEPALIVE, 1},
      {IPPROTO_TCP, TCP_KEEPIDLE, IDLE_S},
      {IPPROTO_TCP, TCP_KEEPINTVL, INTERVAL_S},
      {IPPROTO_TCP, TCP_KEEPCNT, PROBES},
      {IPPROTO_TCP, TCP_USER_TIMEOUT, UNANSWERED_MS},
  };
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    setsockopt(connection, options[i].level, options[i].name, &options[i].value, sizeof(int));
}

void reportLoss(const Hello* lost, bool answered, const LastCall* call, int of) {
  char line[512];
  const int length =
      snprintf(line, sizeof line, "sparlane: rank %d of %d on %s %s; the last call of rank %d was %s\n", lost->rank, lost->size,
               lost->host, answered ? "died" : "does not answer", of, call->texts[atomic_load(&call->latest)]);
  if (write(STDERR_FILENO, line, (size_t)length) < 0) return;
}
