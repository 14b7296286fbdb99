/** The CPU quota of a container, from the files of Linux: trees of files as they are there, and a real control group. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { availableCores, cpuQuota } from '#dist/execution/cores.node.js';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

/** A file system with these files. */
function tree(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'sparlane-cores-'));
  roots.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${text}\n`);
  }
  return root;
}

const MOUNT_V2 = '31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate';
const OTHERS = '22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n24 22 0:5 / /proc rw - proc proc rw';

/** Version 2: quotas by the folder of the group. */
function version2(group: string, quotas: Record<string, string>, mount = MOUNT_V2): string {
  return tree({
    'proc/self/cgroup': `0::${group}`,
    'proc/self/mountinfo': `${OTHERS}\n${mount}`,
    ...Object.fromEntries(Object.entries(quotas).map(([at, text]) => [`sys/fs/cgroup${at}/cpu.max`, text])),
  });
}

const MOUNTS_V1 = [
  '32 31 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
  '33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
  '34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset',
  '41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw',
].join('\n');

/** Version 1, as usual beside an empty version 2: quota and period by the folder of the group. */
function version1(group: string, quotas: Record<string, readonly [number, number]>, mounts = MOUNTS_V1): string {
  const files = Object.entries(quotas).flatMap(([at, [time, period]]) => [
    [`sys/fs/cgroup/cpu,cpuacct${at}/cpu.cfs_quota_us`, `${time}`],
    [`sys/fs/cgroup/cpu,cpuacct${at}/cpu.cfs_period_us`, `${period}`],
  ]);
  return tree({
    'proc/self/cgroup': `9:memory:/elsewhere\n4:cpuset:/\n3:cpu,cpuacct:${group}\n0::/`,
    'proc/self/mountinfo': `${OTHERS}\n${mounts}`,
    ...Object.fromEntries(files),
  });
}

describe('version 2', () => {
  test('a quota', () => {
    expect(cpuQuota(version2('/', { '': '150000 100000' }))).toBe(1.5);
  });

  test('max is none', () => {
    expect(cpuQuota(version2('/job', { '': 'max 100000', '/job': 'max 100000' }))).toBe(Number.POSITIVE_INFINITY);
  });

  test('of nested groups the least, wherever it is', () => {
    const quotas = { '/a': 'max 100000', '/a/b': '300000 100000', '/a/b/c': '20000 10000', '/other': '1000 100000' };
    expect(cpuQuota(version2('/a/b/c', quotas))).toBe(2);
    expect(cpuQuota(version2('/a/b/c', { ...quotas, '/a': '50000 100000' }))).toBe(0.5);
  });

  test('a mount that shows only a part of the tree', () => {
    const mount = MOUNT_V2.replace('0:28 / ', '0:28 /pods/one ');
    expect(cpuQuota(version2('/pods/one/app', { '': '400000 100000', '/app': '300000 100000' }, mount))).toBe(3);
  });

  test('a group outside of what is mounted: the quota of the mount', () => {
    const quotas = { '': '400000 100000', '/else': '100000 100000' };
    const mount = MOUNT_V2.replace('0:28 / ', '0:28 /pods/one ');
    expect(cpuQuota(version2('/pods/else', quotas, mount))).toBe(4);
    expect(cpuQuota(version2('/../else', quotas))).toBe(4);
  });

  test('a mount point with a space', () => {
    const root = version2('/', {}, MOUNT_V2.replace('/sys/fs/cgroup', '/my\\040groups'));
    mkdirSync(join(root, 'my groups'));
    writeFileSync(join(root, 'my groups/cpu.max'), '700000 100000\n');
    expect(cpuQuota(root)).toBe(7);
  });
});

describe('version 1', () => {
  test('a quota', () => {
    expect(cpuQuota(version1('/', { '': [250_000, 100_000] }))).toBe(2.5);
  });

  test('-1 is none', () => {
    expect(cpuQuota(version1('/', { '': [-1, 100_000] }))).toBe(Number.POSITIVE_INFINITY);
  });

  test('of nested groups the least', () => {
    const quotas = {
      '': [-1, 100_000],
      '/a': [100_000, 50_000],
      '/a/b': [300_000, 100_000],
      '/elsewhere': [1, 2],
    } as const;
    expect(cpuQuota(version1('/a/b', quotas))).toBe(2);
  });

  test('a container that sees its own group as the mount', () => {
    const mounts = MOUNTS_V1.replace('0:30 / ', '0:30 /docker/1f ');
    expect(cpuQuota(version1('/docker/1f', { '': [100_000, 100_000] }, mounts))).toBe(1);
  });
});

describe('no quota that can be read', () => {
  test('without control groups', () => {
    expect(cpuQuota(tree({}))).toBe(Number.POSITIVE_INFINITY);
    expect(cpuQuota(tree({ 'proc/self/cgroup': '0::/', 'proc/self/mountinfo': OTHERS }))).toBe(
      Number.POSITIVE_INFINITY,
    );
  });

  test('without the files of the controller', () => {
    expect(cpuQuota(version2('/a', {}))).toBe(Number.POSITIVE_INFINITY);
    expect(cpuQuota(version1('/a', {}))).toBe(Number.POSITIVE_INFINITY);
  });

  test('files that cannot be read, or not understood', () => {
    const root = version2('/a', { '/a': 'many', '': '0 0' });
    expect(cpuQuota(root)).toBe(Number.POSITIVE_INFINITY);
    rmSync(join(root, 'sys/fs/cgroup/a/cpu.max'));
    mkdirSync(join(root, 'sys/fs/cgroup/a/cpu.max'));
    expect(cpuQuota(root)).toBe(Number.POSITIVE_INFINITY);
  });
});

test('the cores of this process: whole, at least one, at most those of the affinity mask', () => {
  const cores = availableCores();
  expect(Number.isInteger(cores)).toBe(true);
  expect(cores).toBeGreaterThanOrEqual(1);
  expect(cores).toBeLessThanOrEqual(availableParallelism());
});

/** A new group with a quota of one core; undefined if this process may not make one. */
function realGroup(): { folder: string; procs: string } | undefined {
  for (const [parent, file, quota] of [
    ['/sys/fs/cgroup/cpu', 'cpu.cfs_quota_us', '100000'],
    ['/sys/fs/cgroup', 'cpu.max', '100000 100000'],
  ] as const) {
    const folder = join(parent, `sparlane-${process.pid}`);
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    try {
      writeFileSync(join(folder, file), quota, { flag: 'r+' });
      return { folder, procs: join(folder, 'cgroup.procs') };
    } catch {
      rmdirSync(folder);
    }
  }
  return undefined;
}

test('an engine in a real group of one core has one thread', ({ skip }) => {
  const group = realGroup();
  if (group === undefined) return skip('this process may not make a control group');
  try {
    const program = `
      const { writeFileSync } = await import('node:fs');
      writeFileSync(${JSON.stringify(group.procs)}, String(process.pid));
      const { createEngine } = await import(${JSON.stringify(import.meta.resolve('#dist/index.node.js'))});
      const engine = await createEngine();
      process.stdout.write(String(engine.threads));
      process.exit();`;
    const said = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
    expect(said).toBe('1');
  } finally {
    rmdirSync(group.folder);
  }
});
