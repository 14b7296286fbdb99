/*
 * An Ethernet switch between network namespaces, with the delay and the bandwidth of a network: each namespace gets an interface `eth0` (a TAP device), and
 * its frames arrive at another one later. `tc netem` would do that, but many kernels of virtual machines lack it.
 *
 * usage: switch DELAY_NS NS_PER_KILOBYTE PID…
 *
 * The namespaces are those of the processes. Frames go to port i of address 02:00:00:00:00:i, all others to all ports. Each interface sends one
 * frame after the other, and gets one after the other. A line on stdout says that all interfaces are there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* The longest frame of an interface of 9000 bytes, and frames on the way to a port: further ones are lost, as in a switch. */
enum { MOST_PORTS = 250, MOST_BYTES = 9100, MOST_FRAMES = 8192, MOST_AT_ONCE = 32, PRIORITY = 1 };

typedef struct {
  int64_t due;
  int length;
  uint8_t* bytes;
} Frame;

typedef struct {
  struct pollfd* device;
  Frame* frames;
  unsigned head, tail;
  int64_t sendsUntil, getsUntil;
} Port;

static Port ports[MOST_PORTS];
static struct pollfd devices[MOST_PORTS];
static int count = 0;
static int64_t delay, perKilobyte;

static void fail(const char* what) {
  fprintf(stderr, "switch: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

static void addPort(const char* pid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%s/ns/net", pid);
  const int space = open(path, O_RDONLY | O_CLOEXEC);
  if (space < 0 || setns(space, CLONE_NEWNET) != 0) fail(path);
  close(space);
  struct ifreq request = {.ifr_name = "eth0", .ifr_flags = IFF_TAP | IFF_NO_PI};
  const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0 || ioctl(device, TUNSETIFF, &request) != 0) fail("/dev/net/tun");
  devices[count] = (struct pollfd){.fd = device, .events = POLLIN};
  ports[count] = (Port){.device = &devices[count], .frames = calloc(MOST_FRAMES, sizeof(Frame))};
  count++;
}

static void queue(Port* to, const uint8_t* bytes, int length, int64_t sent, int64_t takes) {
  if (to->tail - to->head == MOST_FRAMES) return;
  Frame* frame = &to->frames[to->tail++ % MOST_FRAMES];
  to->getsUntil = later(sent + delay, to->getsUntil + takes);
  *frame = (Frame){to->getsUntil, length, malloc((size_t)length)};
  memcpy(frame->bytes, bytes, (size_t)length);
}

/* Takes the frames that a port has sent. */
static void take(Port* from) {
  static uint8_t bytes[MOST_BYTES];
  for (int i = 0; i < MOST_AT_ONCE; i++) {
    const int length = (int)read(from->device->fd, bytes, sizeof bytes);
    if (length < 0) return;
    const int64_t takes = perKilobyte * length / 1000;
    from->sendsUntil = later(now(), from->sendsUntil) + takes;
    const bool isForAll = bytes[0] & 1 || bytes[5] >= count;
    for (Port* to = ports; to < ports + count; to++)
      if (isForAll ? to != from : to == ports + bytes[5]) queue(to, bytes, length, from->sendsUntil, takes);
  }
}

/* Hands a port the frames that are due. Returns when the next one is; INT64_MAX: there is none. */
static int64_t hand(Port* to) {
  for (; to->head != to->tail; to->head++) {
    Frame* frame = &to->frames[to->head % MOST_FRAMES];
    if (frame->due > now()) return frame->due;
    /* An interface that is down loses it. */
    if (write(to->device->fd, frame->bytes, (size_t)frame->length) < 0 && errno != EIO) fail("write");
    free(frame->bytes);
  }
  return INT64_MAX;
}

int main(int argc, char** argv) {
  if (argc < 4 || argc - 3 > MOST_PORTS) fail("expected DELAY_NS NS_PER_KILOBYTE and up to 250 PIDs");
  delay = atoll(argv[1]);
  perKilobyte = atoll(argv[2]);
  for (int i = 3; i < argc; i++) addPort(argv[i]);
  /* Frames are handed over in time, whatever the ranks do. */
  sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = PRIORITY});
  prctl(PR_SET_TIMERSLACK, 1);
  puts("ready");
  fflush(stdout);
  for (;;) {
    int64_t next = INT64_MAX;
    for (int i = 0; i < count; i++) {
      const int64_t due = hand(&ports[i]);
      if (due < next) next = due;
    }
    const int64_t wait = later(0, next - now());
    const struct timespec timeout = {wait / 1000000000, wait % 1000000000};
    if (ppoll(devices, (nfds_t)count, next == INT64_MAX ? NULL : &timeout, NULL) < 0) fail("ppoll");
    for (int i = 0; i < count; i++)
      if (devices[i].revents & POLLIN) take(&ports[i]);
  }
}
