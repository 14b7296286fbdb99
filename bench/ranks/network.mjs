/**
 * Compares the model of communication (`model.mjs`) with ranks of MPI on hosts of one machine, which a network connects that is so slow that its time is that
 * of the network, though all ranks share the cores. Latency and bandwidth are measured between two hosts. Linux, as root.
 *
 * usage: npx bench ranks/network [--mpi openmpi,mpich] [--hosts 2,4] [--delay 20000] [--rate 0.0025]    delay in µs, rate in Gbit/s
 *        npx bench ranks/network --table [--unknowns 1e9] [--nodes 64] [--memory 100]    a step by the model; memory in GB/s that a node reads
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { withHosts } from '../../scripts/cluster/hosts.mjs';
import { print } from '../contenders.mjs';
import { allreduceUs, haloUs, ROUNDS, tableOf, waitsUs } from './model.mjs';

const PROGRAM = fileURLToPath(new URL('network-program.mjs', import.meta.url));
/** A line of the grid has so many elements. Messages of MPICH of more than 8 kB wait for their receiver before they are sent. */
const LENGTHS = [1, 1000];
const CALLS = 8;
/** The network is slow beside the time in which ranks that share cores get their turn, and fast enough for a test. Chosen. */
export const SLOW = { delayUs: 20_000, gbits: 0.0025 };

/** Returns what `network-program.mjs` measures on ranks of an MPI, one on each of some hosts. */
export function measureNetwork(library, hosts, network) {
  return withHosts({ hosts, ...network }, async (cluster) => {
    const args = [PROGRAM, JSON.stringify(LENGTHS), `${CALLS}`];
    const [program, ...rest] = cluster.mpirun(library, hosts, process.execPath, ...args);
    const { stdout } = await promisify(execFile)(program, rest);
    return JSON.parse(stdout);
  });
}

/** @returns the latency of an allreduce and the bandwidth of exchanges between two hosts, for the model */
export function networkOf(library, { allreduceMs, lines }) {
  const [short, long] = [lines[0], lines.at(-1)];
  const latencyUs = 1e3 * allreduceMs;
  const gbytes = (8 * (long.length - short.length)) / (1e6 * (long.productMs - short.productMs));
  return { latencyUs, gbytes, rounds: ROUNDS[library] };
}

/** @returns what was measured beside what the model expects, in ms */
export function compareWithModel(network, hosts, { allreduceMs, lines }) {
  const allreduce = { what: 'allreduce', measured: allreduceMs, expected: allreduceUs(network, hosts) / 1e3 };
  const ofLines = lines.flatMap(({ length, productMs, stepMs }) => {
    const bytes = 8 * length;
    // A rank that is not at an end of the chain sends a line to each of its two neighbours.
    const bytesSent = bytes * Math.min(2, hosts - 1);
    return [
      { what: `exchange of ${bytes} bytes`, measured: productMs, expected: haloUs(network, bytesSent) / 1e3 },
      { what: `step, ${bytes} bytes`, measured: stepMs, expected: waitsUs(network, hosts, bytesSent) / 1e3 },
    ];
  });
  return [allreduce, ...ofLines];
}

async function compare(library, numbers, wanted) {
  const ofTwo = await measureNetwork(library, 2, wanted);
  const network = networkOf(library, ofTwo);
  print(`${library}: ${network.latencyUs.toFixed(0)} µs, ${(8 * network.gbytes).toPrecision(3)} Gbit/s`);
  for (const hosts of numbers) {
    const compared = compareWithModel(
      network,
      hosts,
      hosts === 2 ? ofTwo : await measureNetwork(library, hosts, wanted),
    );
    for (const { what, measured, expected } of compared)
      print(`  ${hosts} hosts: ${what} ${measured.toFixed(2)} ms, ${(measured / expected).toFixed(2)} × the model`);
  }
}

export async function main(args) {
  const { values: flags } = parseArgs({
    args,
    options: {
      mpi: { type: 'string', default: 'openmpi,mpich' },
      hosts: { type: 'string', default: '2,4' },
      delay: { type: 'string', default: `${SLOW.delayUs}` },
      rate: { type: 'string', default: `${SLOW.gbits}` },
      table: { type: 'boolean', default: false },
      unknowns: { type: 'string', default: '1e9' },
      nodes: { type: 'string', default: '64' },
      memory: { type: 'string', default: '100' },
    },
  });
  if (flags.table) {
    const [unknowns, nodes, memoryGbytes] = [flags.unknowns, flags.nodes, flags.memory].map(Number);
    return print(tableOf({ unknowns, nodes, memoryGbytes }));
  }
  const wanted = { delayUs: Number(flags.delay), gbits: Number(flags.rate) };
  for (const library of flags.mpi.split(',')) await compare(library, flags.hosts.split(',').map(Number), wanted);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
