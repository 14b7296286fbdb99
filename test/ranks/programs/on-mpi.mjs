/**
 * Calls `main(comm, data)` of programs on the ranks of mpirun, one after the other. The argument: pairs of a program and its data, as JSON. Of each program rank 0 prints a
 * line: whether every rank returned the same, and what.
 */
const programs = JSON.parse(process.argv[2]);
// The conformance checks are in no bundle.
const isConformance = programs.some(([name]) => name === 'conform.mjs');
const { joinRanks } = await import(isConformance ? '#dist/index.node.js' : 'sparlane');
const comm = await joinRanks({ threads: 1 });
for (const [name, data] of programs) {
  const { main } = await import(`./${name}`);
  const result = JSON.stringify(await main(comm, data));
  const all = new TextDecoder().decode(comm.allgather(new TextEncoder().encode(result)));
  if (comm.rank === 0) process.stdout.write(`${all === result.repeat(comm.size)} ${result}\n`);
}
