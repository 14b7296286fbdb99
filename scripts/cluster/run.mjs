/**
 * Runs a command on ranks of MPI on hosts that are namespaces of this machine, and removes the hosts afterwards. Linux, as root, with gcc.
 *
 * usage: node scripts/cluster/run.mjs [--mpi openmpi] [--hosts 2] [--ranks 2] [--delay 25] [--rate 10] -- node program.mjs    delay in µs, rate in Gbit/s
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { withHosts } from './hosts.mjs';

const { values: flags, positionals: command } = parseArgs({
  allowPositionals: true,
  options: {
    mpi: { type: 'string', default: 'openmpi' },
    hosts: { type: 'string', default: '2' },
    ranks: { type: 'string' },
    delay: { type: 'string', default: '0' },
    rate: { type: 'string', default: '0' },
  },
});
if (command.length === 0) throw new Error('usage: expected a command after --, got none');
const [hosts, delayUs, gbits] = [flags.hosts, flags.delay, flags.rate].map(Number);
process.exitCode = await withHosts({ hosts, delayUs, gbits }, async (cluster) => {
  const [program, ...args] = cluster.mpirun(flags.mpi, Number(flags.ranks ?? hosts), ...command);
  const [code] = await once(spawn(program, args, { stdio: 'inherit' }), 'close');
  return code ?? 1;
});
