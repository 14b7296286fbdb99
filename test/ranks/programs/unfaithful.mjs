/** Rank 1 does something else than the others, who wait for it. `data`: what. Returns the errors that ranks get. */
export async function main(comm, data) {
  const { rank } = comm;
  if (rank === 1) {
    if (data === 'throws') throw new Error('boom');
    if (data === 'exits') process.exit(3);
    if (data === 'rejects later') {
      setTimeout(() => {
        throw new Error('later');
      }, 10);
      await new Promise(() => {});
    }
    if (data === 'ends') return 'ended';
  }
  try {
    if (data === 'disagrees' && rank === 1) comm.barrier();
    else comm.allreduce(1);
    if (data === 'has rows that do not follow')
      comm.operator({ firstRow: 5 * rank, rows: 1, cols: 3, rowPtr: [0, 1], colIdx: [0] });
    if (data === 'has a wrong column')
      comm.operator({ firstRow: rank, rows: 1, cols: 3, rowPtr: [0, 1], colIdx: [rank === 1 ? 3 : 0] });
    if (data === 'has a zero on its diagonal') {
      const rows = { firstRow: rank, rows: 1, cols: comm.size, rowPtr: [0, 1], colIdx: [rank], values: [rank - 1] };
      comm.precondition(comm.operator(rows), 'jacobi');
    }
    if (data === 'gives too many') comm.allreduce(new Float64Array(20 + rank));
    if (data === 'computes for ever' && rank === 1) throw new Error('enough');
    if (data === 'computes for ever') for (;;);
    return 'no error';
  } catch (error) {
    if (data === 'computes for ever') throw error;
    return error.message;
  }
}
