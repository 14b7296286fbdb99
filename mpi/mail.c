/* Messages beside the calls of all ranks, from one rank to another one that receives them when it likes. */
#include <stdlib.h>

#include "sparlane-mpi.h"

void openMail(MPI_Comm comm, Mail* mail) {
  mail->comm = comm;
  MPI_Comm_size(comm, &mail->size);
  mail->told = calloc((size_t)mail->size, sizeof(int));
}

bool findMail(napi_env env, Mail* mail, int source, Letter* letter) {
  int isThere = 0;
  MPI_Status status;
  letter->length = -1;
  if (failed(env, MPI_Iprobe(source, MESSAGE_TAG, mail->comm, &isThere, &status), "MPI_Iprobe")) return false;
  if (!isThere) return true;
  MPI_Get_count(&status, MPI_BYTE, &letter->length);
  letter->source = status.MPI_SOURCE;
  return true;
}

napi_value takeMail(napi_env env, Mail* mail, const Letter* letter) {
  void* data;
  napi_value buffer, message;
  if (napi_create_arraybuffer(env, (size_t)letter->length, &data, &buffer) != napi_ok) {
    refuse(env, "message: expected one that fits into the memory");
    return NULL;
  }
  napi_create_typedarray(env, napi_uint8_array, (size_t)letter->length, buffer, 0, &message);
  const int code = MPI_Recv(data, letter->length, MPI_BYTE, letter->source, MESSAGE_TAG, mail->comm, MPI_STATUS_IGNORE);
  if (failed(env, code, "MPI_Recv")) return NULL;
  mail->heard++;
  return message;
}

bool drainMail(napi_env env, Mail* mail) {
  int expected = 0;
  int* counts = malloc(sizeof(int) * (size_t)mail->size);
  for (int r = 0; r < mail->size; r++) counts[r] = 1;
  const int code = MPI_Reduce_scatter(mail->told, &expected, counts, MPI_INT, MPI_SUM, mail->comm);
  free(counts);
  if (failed(env, code, "MPI_Reduce_scatter")) return false;
  for (; mail->heard < expected; mail->heard++) {
    MPI_Status status;
    int length = 0;
    MPI_Probe(MPI_ANY_SOURCE, MESSAGE_TAG, mail->comm, &status);
    MPI_Get_count(&status, MPI_BYTE, &length);
    void* bytes = malloc((size_t)length + 1);
    MPI_Recv(bytes, length, MPI_BYTE, status.MPI_SOURCE, MESSAGE_TAG, mail->comm, MPI_STATUS_IGNORE);
    free(bytes);
  }
  return true;
}
