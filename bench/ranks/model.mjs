/**
 * A model of a step of cg with Jacobi's preconditioner in weak scaling: a 27-point grid in cubes, one on each node. All times are in µs. What it says of
 * communication is compared with hosts on one machine in `network.mjs`.
 */

/** An entry has so many bytes, a value and a column of 16 bits; x is read once and y written once. */
const BYTES_OF_PRODUCT = 27 * (8 + 2) + 2 * 8;
/** A step also reads and writes so many vectors: p and q; x, p, r, q and d, then x, r and z; z and p, then p. */
const BYTES_OF_VECTORS = (2 + 8 + 3) * 8;
const FACES = 6;
const DOT_PRODUCTS = 2;

/** So many messages of an allreduce wait for each other: Open MPI sends to all ranks at once, MPICH doubles, as `network.mjs` measured. */
export const ROUNDS = { openmpi: () => 1, mpich: (ranks) => Math.ceil(Math.log2(ranks)) };

/** Returns the time until the halo is there. Messages to all neighbours are on their way at the same time, and share a link of `gbytes` GB/s. */
export const haloUs = ({ latencyUs, gbytes }, bytesSent) => latencyUs + bytesSent / (1e3 * gbytes);

export const allreduceUs = ({ latencyUs, rounds }, ranks) => latencyUs * rounds(ranks);

/** Returns how long a step of cg waits for messages. */
export function waitsUs(network, ranks, bytesSent) {
  return haloUs(network, bytesSent) + DOT_PRODUCTS * allreduceUs(network, ranks);
}

/** Returns the terms of a step on a node that reads `memoryGbytes` GB/s. No term is hidden behind the product. */
function termsOf({ unknowns, nodes, memoryGbytes, network }) {
  const rows = unknowns / nodes;
  const [product, vectors] = [BYTES_OF_PRODUCT, BYTES_OF_VECTORS].map((bytes) => (rows * bytes) / (1e3 * memoryGbytes));
  const halo = haloUs(network, FACES * rows ** (2 / 3) * 8);
  const allreduces = DOT_PRODUCTS * allreduceUs(network, nodes);
  return { product, vectors, halo, allreduces, step: product + vectors + halo + allreduces };
}

const NETWORKS = {
  '2 µs, 10 GB/s': { latencyUs: 2, gbytes: 10, rounds: ROUNDS.mpich },
  '25 µs, 10 Gbit/s': { latencyUs: 25, gbytes: 1.25, rounds: ROUNDS.mpich },
};

/** Returns the table of docs/ranks.md, which has a step of cg for the given number of unknowns, and for a hundredth of them. */
export function tableOf({ unknowns, nodes, memoryGbytes }) {
  const columns = [unknowns, unknowns / 100].flatMap((number) =>
    Object.entries(NETWORKS).map(([name, network]) => {
      const terms = termsOf({ unknowns: number, nodes, memoryGbytes, network });
      const share = `${((100 * (terms.halo + terms.allreduces)) / terms.step).toFixed(1)} %`;
      return [
        `${number.toLocaleString('en')}; ${name}`,
        ...Object.values(terms).map((us) => (us / 1e3).toPrecision(3)),
        share,
      ];
    }),
  );
  const names = ['ms', 'product', 'vectors', 'halo', 'two allreduces', 'step', 'share of communication'];
  const rows = names.map((name, i) => `| ${[name, ...columns.map((column) => column[i])].join(' | ')} |`);
  rows.splice(1, 0, `| --- ${'| --: '.repeat(columns.length)}|`);
  return rows.join('\n');
}
