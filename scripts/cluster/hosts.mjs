/**
 * Hosts on one machine, for ranks over a network: Linux, as root, with gcc. Each host is a process with namespaces of its own, for the network, the name,
 * processes, mounts and shared memory. `switch.c` connects them, with the delay and the bandwidth of a network. In another namespace of that kind, the
 * front end, mpirun is started, as on the front end of a cluster.
 *
 * Nothing is left behind, even if this process is killed: the first process of the front end reads a pipe of this one, and all others end with it.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const FRONT = 'front';
const SUBNET = '10.77.0';
/** An Ethernet frame has at most so many bytes, as in clusters. */
const MTU = 9000;

const NAMESPACES = ['--net', '--uts', '--ipc', '--mount', '--pid'];

/**
 * Gives a host its name, the addresses of all and shared memory of its own, and writes the number of its first process: that of the namespace which
 * /proc still shows. Arguments: the name, the file of addresses.
 */
const FIRST = `
read pid rest < /proc/self/stat
hostname "$1" && mount --bind "$2" /etc/hosts && mount -t tmpfs shm /dev/shm && mount -t proc proc /proc && ip link set lo up || exit 1
echo "$pid"
exec cat`;

/** Open MPI and MPICH start their daemon on a host by this script instead of ssh. Its arguments are HOST COMMAND…, for MPICH after -x. */
const AGENT = `#!/bin/sh
[ "$1" = -x ] && shift
host=$1
shift
exec nsenter --target "$(cat "$(dirname "$0")/$host")" ${NAMESPACES.join(' ')} -- sh -c "$*"
`;

/** Open MPI notices a host that is gone from the network after three seconds, instead of eight minutes. */
const KEEPALIVE = { time: 1, intvl: 1, probes: 2 };

/** Each mpirun needs these flags for the hosts; Open MPI would also take other networks for its own. */
const FLAGS = {
  openmpi: ({ names, agent }, slots) => [
    ...['--mca', 'plm_rsh_agent', agent, '--allow-run-as-root', '--bind-to', 'none', '--map-by', 'node'],
    ...['btl', 'oob'].flatMap((layer) => ['--mca', `${layer}_tcp_if_include`, `${SUBNET}.0/24`]),
    ...Object.entries(KEEPALIVE).flatMap(([name, value]) => ['--mca', `oob_tcp_keepalive_${name}`, `${value}`]),
    ...['--host', names.map((name) => `${name}:${slots}`).join()],
  ],
  mpich: ({ names, agent }) => ['-launcher', 'ssh', '-launcher-exec', agent, '-hosts', names.join()],
};

/**
 * Makes hosts `host1`, `host2` …, calls a function with them, and removes them.
 *
 * @param hosts their number, up to 200
 * @param delayUs the way of a frame from one host to another takes so many µs more; default: 0
 * @param gbits a host sends and gets so many Gbit/s at most; default: 0, without a limit
 * @param use gets a `Cluster`
 * @returns what `use` returns
 * @throws Error in one line, if this machine does not allow it
 */
export async function withHosts({ hosts, delayUs = 0, gbits = 0 }, use) {
  const folder = mkdtempSync(join(tmpdir(), 'sparlane-hosts-'));
  const names = Array.from({ length: hosts }, (_, i) => `host${i + 1}`);
  const cluster = new Cluster(folder, names);
  try {
    await cluster.start({ delayUs, gbits });
    return await use(cluster);
  } finally {
    await cluster.end();
    rmSync(folder, { recursive: true });
  }
}

class Cluster {
  /** Hosts are called `host1`, `host2` …. */
  names;
  /** This program starts a command on a host, as ssh does. */
  agent;
  #folder;
  #front;
  /** The front end sees the first process of each host, which is kept by the name of the host. */
  #pids = new Map();

  constructor(folder, names) {
    this.names = names;
    this.agent = join(folder, 'agent');
    this.#folder = folder;
  }

  async start({ delayUs, gbits }) {
    const program = join(this.#folder, 'switch');
    await run('gcc', ['-O2', '-o', program, fileURLToPath(new URL('switch.c', import.meta.url))]);
    const lines = [FRONT, ...this.names].map((name, i) => `${SUBNET}.${i + 1} ${name}\n`);
    writeFileSync(join(this.#folder, 'hosts'), `127.0.0.1 localhost\n${lines.join('')}`);
    writeFileSync(this.agent, AGENT, { mode: 0o755 });
    this.#front = await this.#startHost(FRONT, (command) => command);
    for (const name of this.names) {
      const { pid } = await this.#startHost(name, (command) => this.inFront(...command));
      this.#pids.set(name, pid);
      writeFileSync(join(this.#folder, name), `${pid}\n`);
    }
    // The front end is process 1 of its own namespace.
    const all = [1, ...this.#pids.values()].map(String);
    await started(this.inFront(program, `${1e3 * delayUs}`, `${gbits > 0 ? Math.round(8e3 / gbits) : 0}`, ...all));
    for (const [port, pid] of all.entries()) {
      const ip = (...args) => run(...split(this.inFront('nsenter', '--target', pid, '--net', 'ip', ...args)));
      await ip('address', 'add', `${SUBNET}.${port + 1}/24`, 'dev', 'eth0');
      await ip(
        'link',
        'set',
        'eth0',
        'address',
        `02:00:00:00:00:${port.toString(16).padStart(2, '0')}`,
        'mtu',
        `${MTU}`,
        'up',
      );
    }
  }

  #startHost(name, within) {
    const command = ['unshare', ...NAMESPACES, '--fork', '--kill-child', 'sh', '-c', FIRST, 'sh', name];
    return started(within([...command, join(this.#folder, 'hosts')]));
  }

  /** Returns the command that runs a command on the front end, in the folder of this process. */
  inFront(...command) {
    const enter = [
      'nsenter',
      '--target',
      `${this.#front.pid}`,
      ...NAMESPACES,
      '--',
      'sh',
      '-c',
      'cd "$0" && exec "$@"',
    ];
    return [...enter, process.cwd(), ...command];
  }

  /**
   * @param library `openmpi` or `mpich`
   * @param ranks their number, dealt to the hosts in turn
   * @returns the command that runs a command on so many ranks
   */
  mpirun(library, ranks, ...command) {
    const flags = FLAGS[library](this, Math.ceil(ranks / this.names.length));
    return this.inFront(`mpirun.${library}`, ...flags, '-n', `${ranks}`, ...command);
  }

  /** Runs a command of the shell on a host. */
  onHost(name, command) {
    return run(...split(this.inFront(this.agent, name, command)));
  }

  /** Ends all processes of a host at once. */
  kill(name) {
    return run(...split(this.inFront('kill', '-KILL', `${this.#pids.get(name)}`)));
  }

  /** Takes a host from the network. Its processes live on. */
  unplug(name) {
    return this.onHost(name, 'ip link set eth0 down');
  }

  async end() {
    if (this.#front === undefined) return;
    this.#front.child.stdin.end();
    await this.#front.ended;
  }
}

function split([program, ...args]) {
  return [program, args];
}

/** Starts a program that runs on, and waits for the line with which it says that it is ready. @throws Error if it ends before */
async function started([program, ...args]) {
  const child = spawn(program, args);
  const ended = once(child, 'exit');
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [line] = await Promise.race([once(child.stdout, 'data'), ended.then(() => [])]);
  if (line === undefined) throw new Error(`hosts: expected ${program} to start, got: ${errors.trim().split('\n')[0]}`);
  return { pid: Number(line), child, ended };
}
