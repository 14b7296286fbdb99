import { createEngine, pageRank, read } from 'sparlane';

const engine = await createEngine();
const links = await read(new URL('links.csv', import.meta.url)); // from,to: each line a link
const { ranks, iterations } = pageRank(engine, links, { damping: 0.85 });

const byRank = links.rowNames.map((name, page) => ({ name, rank: ranks.data[page] }));
byRank.sort((a, b) => b.rank - a.rank);
console.log(`${links.nnz} links between ${links.rows} pages, at rest: ${iterations > 0}`);
for (const { name, rank } of byRank.slice(0, 4)) console.log(name.padEnd(9), rank.toFixed(4));
