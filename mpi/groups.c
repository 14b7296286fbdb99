/* Groups of ranks, each with a communicator. A group is a place in a table. */
#include <stdlib.h>

#include "sparlane-mpi.h"

static Group* groups = NULL;
static int groupCount = 0;

static void addGroup(MPI_Comm comm) {
  Group group = {.gather = MPI_REQUEST_NULL};
  openMail(comm, &group.mail);
  groups = realloc(groups, sizeof(Group) * (size_t)(groupCount + 1));
  groups[groupCount++] = group;
}

bool openGroups(napi_env env) {
  if (groupCount > 0) return true;
  MPI_Comm comm;
  if (failed(env, MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup")) return false;
  addGroup(comm);
  return true;
}

Group* groupOf(napi_env env, napi_value value) {
  int place;
  if (!intOf(env, value, "group", &place)) return NULL;
  if (place >= 0 && place < groupCount) return &groups[place];
  refuse(env, "group: expected one of a split, or 0");
  return NULL;
}

napi_value splitGroup(napi_env env, napi_callback_info info) {
  Arguments given;
  int color, rank;
  if (!take(env, info, 3, &given) || !intOf(env, given.values[1], "color", &color) || !intOf(env, given.values[2], "rank", &rank))
    return NULL;
  const Group* whole = groupOf(env, given.values[0]);
  if (whole == NULL) return NULL;
  MPI_Comm comm;
  const int code = MPI_Comm_split(whole->mail.comm, color < 0 ? MPI_UNDEFINED : color, rank, &comm);
  if (failed(env, code, "MPI_Comm_split")) return NULL;
  const bool isIn = comm != MPI_COMM_NULL;
  if (isIn) addGroup(comm);
  napi_value result;
  napi_create_int32(env, isIn ? groupCount - 1 : -1, &result);
  return result;
}

/* Ranks that are in the same groups have made them in the same order, and have started the same gathers. */
bool closeGroups(napi_env env) {
  for (int i = 0; i < groupCount; i++) {
    MPI_Wait(&groups[i].gather, MPI_STATUS_IGNORE);
    if (!drainMail(env, &groups[i].mail)) return false;
  }
  finishMessages();
  for (int i = 0; i < groupCount; i++)
    if (failed(env, MPI_Comm_free(&groups[i].mail.comm), "MPI_Comm_free")) return false;
  return true;
}
