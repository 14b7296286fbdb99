/**
 * Calls `main(comm, data)` of several programs, one after the other: the start of ranks takes longer than most of them. `programs`: pairs of a program and its data.
 * Returns what each returned.
 */
export async function main(comm, programs) {
  const results = [];
  for (const [name, data] of programs) {
    const { main: run } = await import(`./${name}`);
    results.push(await run(comm, data));
  }
  return results;
}
