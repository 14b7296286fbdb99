/*
 * The guard of ranks under MPI: a process of its own, which rank 0 starts, and which outlives ranks that are killed. Launchers kill all ranks as soon as one
 * has died, before another rank could say anything. The first rank whose connection is lost is named in one line, and all others are told.
 *
 * File descriptors: 0 is a pipe of rank 0; on 1 it prints its port and the word that ranks must know; on 3 is the file of the last call of rank 0.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "lifeline.h"

enum { STARTER = 0, PORT = 1, CALL_FILE = 3, FIRST_OF_OTHERS };

/* Time that the launcher has to end all ranks, before the guard tells them to. Chosen. */
static const int64_t GRACE_MS = 2000;
/* Another program that connects may say nothing. Chosen. */
static const struct timeval HELLO_TIME = {.tv_sec = 1};

typedef struct Rank {
  struct Rank* next;
  int connection;
  bool hasLeft;
  Hello hello;
} Rank;

static const LastCall* call;
static char word[WORD_BYTES];
static Rank* ranks = NULL;
static int events, listener;
static bool isOver = false;
static int64_t end;

static void require(bool condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "sparlane: the guard of the ranks does not start: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int64_t nowMs(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void makeWord(void) {
  unsigned char random[WORD_BYTES / 2];
  require(getrandom(random, sizeof random, 0) == sizeof random, "getrandom");
  for (size_t i = 0; i < sizeof random; i++) sprintf(word + 2 * i, "%02x", random[i]);
}

/* @param data what `epoll_wait` returns for it */
static void listenTo(int file, void* data) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = data};
  require(epoll_ctl(events, EPOLL_CTL_ADD, file, &event) == 0, "epoll_ctl");
}

static int openPort(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
  socklen_t length = sizeof address;
  listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool isOpen =
      listener >= 0 && bind(listener, (struct sockaddr*)&address, length) == 0 && listen(listener, SOMAXCONN) == 0;
  require(isOpen && getsockname(listener, (struct sockaddr*)&address, &length) == 0, "listen");
  return ntohs(address.sin_port);
}

static void tellAll(void) {
  const char message = LOST;
  for (const Rank* rank = ranks; rank != NULL; rank = rank->next)
    send(rank->connection, &message, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void beOver(void) {
  if (!isOver) end = nowMs() + GRACE_MS;
  isOver = true;
}

static void take(void) {
  const int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (connection < 0) return;
  Rank* rank = calloc(1, sizeof *rank);
  rank->connection = connection;
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &HELLO_TIME, sizeof HELLO_TIME);
  const ssize_t got = recv(connection, &rank->hello, sizeof rank->hello, MSG_WAITALL);
  if (got != sizeof rank->hello || memcmp(rank->hello.word, word, sizeof word) != 0) {
    close(connection);
    free(rank);
    return;
  }
  rank->hello.host[NAME_BYTES - 1] = 0;
  if (rank->hello.endsItself) keepAlive(connection);
  rank->next = ranks;
  ranks = rank;
  listenTo(connection, rank);
}

static void drop(Rank* rank) {
  Rank** place = &ranks;
  while (*place != rank) place = &(*place)->next;
  *place = rank->next;
  close(rank->connection);
  free(rank);
}

static void hear(Rank* rank) {
  char message;
  const ssize_t got = recv(rank->connection, &message, 1, MSG_DONTWAIT);
  if (got < 0 && errno == EAGAIN) return;
  if (got > 0) {
    if (message == LEAVES) rank->hasLeft = true;
    if (message == ENDS_ALL) beOver();
    return;
  }
  const bool isLost = !rank->hasLeft && !isOver;
  if (isLost) reportLoss(&rank->hello, got == 0 || errno == ECONNRESET, call, 0);
  drop(rank);
  if (!isLost) return;
  beOver();
  tellAll();
}

int main(void) {
  /* What rank 0 had open ends when rank 0 does. */
  for (int file = FIRST_OF_OTHERS; file < sysconf(_SC_OPEN_MAX) && file < 65536; file++) close(file);
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  /* Others are told, even if nobody reads the line. */
  signal(SIGPIPE, SIG_IGN);
  call = mapLastCall(CALL_FILE);
  require(call != NULL, "mmap");
  events = epoll_create1(EPOLL_CLOEXEC);
  makeWord();
  const int port = openPort();
  bool hasStarter = true;
  listenTo(STARTER, &hasStarter);
  listenTo(listener, &listener);
  dprintf(PORT, "%d %s\n", port, word);
  close(PORT);
  while ((hasStarter || ranks != NULL) && (!isOver || nowMs() < end)) {
    /* Linux reports events in the order in which they happened, so the rank that died first comes first. */
    struct epoll_event event;
    const int count = epoll_wait(events, &event, 1, isOver ? (int)(end - nowMs()) + 1 : -1);
    if (count <= 0) continue;
    if (event.data.ptr == &listener) {
      take();
    } else if (event.data.ptr == &hasStarter) {
      hasStarter = false;
      close(STARTER);
    } else {
      hear(event.data.ptr);
    }
  }
  tellAll();
  return 0;
}
