/*
 * What the guard and the ranks share. Each rank has a connection to the guard, which the kernel closes when the rank dies, however it dies. Where a host
 * does not answer, the kernels of both sides notice it, whatever the processes do.
 */
#ifndef SPARLANE_LIFELINE_H
#define SPARLANE_LIFELINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a hexadecimal word that tells ranks of the guard from other programs, of the name of a host, and of a call in words; each with its end. */
enum { WORD_BYTES = 33, NAME_BYTES = 64, CALL_BYTES = 128 };

/* The first message of a rank. */
typedef struct {
  char word[WORD_BYTES];
  char host[NAME_BYTES];
  int32_t rank, size;
  /* Whether ranks end by themselves when one is lost, or when its host does not answer; else the launcher sees to both. */
  int32_t endsItself;
} Hello;

/* Later messages, of one byte. */
enum {
  /* To the guard: the rank has done all. */
  LEAVES = 'l',
  /* To the guard: all ranks end, and why is known. */
  ENDS_ALL = 'e',
  /* To a rank: one is lost. */
  LOST = 'x',
};

/* The call in which a rank is, in memory that it may share. It writes the text that is not the latest, and then says that it is. */
typedef struct {
  _Atomic int32_t latest;
  char texts[2][CALL_BYTES];
} LastCall;

/* Maps it from a file. NULL: it cannot. */
LastCall* mapLastCall(int file);

/* A connection whose other side does not answer for three seconds has an error. */
void keepAlive(int connection);

/* Prints that a rank was lost, in one line. @param answered whether its host has said that the connection is closed @param of the rank of this call */
void reportLoss(const Hello* lost, bool answered, const LastCall* call, int of);

#endif
