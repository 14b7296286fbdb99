/** The machine and the versions of a run, for the first line of its results. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release } from 'node:os';
import { createEngine } from '../dist/index.node.js';

export async function describeMachine() {
  const engine = await createEngine({ threads: 1 });
  await engine.dispose();
  return {
    date: new Date().toISOString(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    flags: vectorFlags(),
    node: process.versions.node,
    v8: process.versions.v8,
    binary: engine.binary,
    commit: commitOf(),
    os: `${process.platform} ${release()}`,
  };
}

/** The vector instructions of the processor, according to Linux. */
function vectorFlags() {
  try {
    const [, all = ''] = /^flags\s*: (.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8')) ?? [];
    return all.split(' ').filter((flag) => /^(avx|fma|sse4)/.test(flag));
  } catch {
    return [];
  }
}

export function commitOf() {
  return said('git', ['rev-parse', '--short', 'HEAD']);
}

/** What a program prints; null if it is not there, or fails. */
export function said(program, args) {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}
