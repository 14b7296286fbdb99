/* What the files of the addon share. */
#ifndef SPARLANE_MPI_H
#define SPARLANE_MPI_H

#include <mpi.h>
#include <node_api.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether waits give the core away at once. */
extern bool crowded;

/* Throws the name of the MPI call that failed. MPI itself ends the program on most errors. */
bool failed(napi_env env, int code, const char* call);

/* Throws for a wrong argument. */
void refuse(napi_env env, const char* text);

typedef enum { COMPLETE, LATE, FAILED } Outcome;

/* Waits until all requests are complete, but not for long, and lets others have the core. FAILED: an error was thrown. */
Outcome complete(napi_env env, int count, MPI_Request* requests, const char* call);

/* Repeats a step until it is complete, but not for long, and lets others have the core. */
Outcome patiently(napi_env env, Outcome (*step)(napi_env env));

/* Whether it is complete, for JavaScript; NULL after an error. */
napi_value outcomeOf(napi_env env, Outcome outcome);

/* The arguments of a call. */
typedef struct {
  napi_env env;
  size_t count;
  napi_value values[7];
} Arguments;

typedef struct {
  void* data;
  size_t length;
} View;

bool take(napi_env env, napi_callback_info info, size_t expected, Arguments* arguments);
bool viewOf(napi_env env, napi_value value, napi_typedarray_type type, const char* name, View* view);
bool intOf(napi_env env, napi_value value, const char* name, int* number);

/* A communicator with messages, of the tag MESSAGE_TAG, that a rank receives when it likes. */
typedef struct {
  MPI_Comm comm;
  int size;
  /* Messages to each rank so far, and those that this one has received. */
  int* told;
  int heard;
} Mail;

/* A message that has come; length -1: none. */
typedef struct {
  int source;
  int length;
} Letter;

/* Ranks, and a communicator for all that they do: exchanges have tags from 0 on, and others the last ones. */
typedef struct {
  Mail mail;
  /* Of the gather that is under way beside other calls. */
  MPI_Request gather;
} Group;

enum { MESSAGE_TAG = 32766, COUNT_TAG };

/* groups.c */
/* Group 0: all ranks. */
bool openGroups(napi_env env);
/* The group that an argument names; NULL after an error. */
Group* groupOf(napi_env env, napi_value value);
/* Called by all ranks. */
bool closeGroups(napi_env env);
napi_value splitGroup(napi_env env, napi_callback_info info);

/* mail.c */
/* The communicator is the mail's from now on. */
void openMail(MPI_Comm comm, Mail* mail);
/* Returns whether MPI could look. */
bool findMail(napi_env env, Mail* mail, int source, Letter* letter);
/* The bytes of a message that was found, as a Uint8Array. */
napi_value takeMail(napi_env env, Mail* mail, const Letter* letter);
/* Receives what nobody has received, so that nothing is on its way when MPI ends. Called by all ranks. */
bool drainMail(napi_env env, Mail* mail);

/* control.c */
bool openControl(napi_env env);
bool closeControl(napi_env env);
napi_value tell(napi_env env, napi_callback_info info);
napi_value hear(napi_env env, napi_callback_info info);

/* guarded.c */
napi_value openLastCall(napi_env env, napi_callback_info info);
napi_value noteCall(napi_env env, napi_callback_info info);
napi_value joinGuard(napi_env env, napi_callback_info info);
/* The end of this rank is no loss from now on. @param message LEAVES or ENDS_ALL */
void tellGuard(char message);

/* messages.c */
/* Waits until all messages of this rank have left. */
void finishMessages(void);
napi_value sendMessage(napi_env env, napi_callback_info info);
napi_value receiveMessage(napi_env env, napi_callback_info info);

/* exchange.c */
napi_value newExchange(napi_env env, napi_callback_info info);
napi_value startExchange(napi_env env, napi_callback_info info);
napi_value finishExchange(napi_env env, napi_callback_info info);
napi_value unfinishedMessages(napi_env env, napi_callback_info info);
napi_value releaseExchange(napi_env env, napi_callback_info info);

/* sparse.c */
napi_value tellCounts(napi_env env, napi_callback_info info);
napi_value goOnCounts(napi_env env, napi_callback_info info);
napi_value foundCounts(napi_env env, napi_callback_info info);

#endif
