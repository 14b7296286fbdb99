/** Calls `main(comm, data)` of a program on the ranks of mpirun. Arguments: the program, the data as JSON. Rank 0 prints what it returns. */
const [program, data] = process.argv.slice(2);
// The conformance checks are in no bundle.
const { joinRanks } = await import(program === './conform.mjs' ? '#dist/index.node.js' : 'sparlane');
const comm = await joinRanks({ threads: 1 });
const { main } = await import(new URL(program, import.meta.url).href);
const result = await main(comm, JSON.parse(data));
const own = new TextEncoder().encode(JSON.stringify(result));
const all = new TextDecoder().decode(comm.allgather(own));
// Every rank returned the same.
if (comm.rank === 0)
  process.stdout.write(`${all === JSON.stringify(result).repeat(comm.size)} ${JSON.stringify(result)}\n`);
