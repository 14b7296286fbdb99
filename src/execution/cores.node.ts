/**
 * The cores that this process may use. `availableParallelism` counts the cores of the affinity mask. A container's CPU
 * quota, a share of time on all cores, is not in the mask: if more threads run than the quota allows, Linux stops all of
 * them for the rest of each period.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** At least 1. A quota of one and a half cores counts as two. */
export function availableCores(): number {
  return Math.max(1, Math.min(availableParallelism(), Math.ceil(cpuQuota())));
}

/** The versions of Linux' control groups: the controller in their tables, and the quota of a group, in cores. */
const VERSIONS: Record<string, { controller: string; quotaOf: (folder: string) => number }> = {
  cgroup2: {
    controller: '',
    quotaOf: (folder) => {
      const [time, period] = read(join(folder, 'cpu.max')).split(' ');
      return quota(time, period);
    },
  },
  cgroup: {
    controller: 'cpu',
    quotaOf: (folder) => quota(read(join(folder, 'cpu.cfs_quota_us')), read(join(folder, 'cpu.cfs_period_us'))),
  },
};

/**
 * The CPU quota of this process, in cores: the least one of its control group and of those that contain it. Infinity if
 * there is none, or if it cannot be read.
 *
 * @param root of the file system; for tests
 */
export function cpuQuota(root = '/'): number {
  const groups = read(join(root, 'proc/self/cgroup')).split('\n');
  const quotas = read(join(root, 'proc/self/mountinfo'))
    .split('\n')
    .flatMap((line) => {
      const { top, point, type, options } = mountOf(line);
      const version = VERSIONS[type];
      if (version === undefined) return [];
      const { controller, quotaOf } = version;
      if (controller !== '' && !options.includes(controller)) return [];
      const group = groups.map((entry) => pathOf(entry, controller)).find((path) => path !== undefined);
      if (group === undefined) return [];
      return folders(join(root, point), pathBelow(top, group)).map(quotaOf);
    });
  return Math.min(...quotas);
}

/** A line of /proc/self/mountinfo: the path of the group that is mounted, where, the type, and the controllers. */
function mountOf(line: string) {
  const [place = '', filesystem = ''] = line.split(' - ');
  const [, , , top = '', point = ''] = place.split(' ').map(unescaped);
  const [type = '', , options = ''] = filesystem.split(' ');
  return { top, point, type, options: options.split(',') };
}

/** Spaces and backslashes in paths are octal there. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** A line of /proc/self/cgroup, `id:controllers:path`: its path if it is of this controller. */
function pathOf(entry: string, controller: string): string | undefined {
  const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(entry) ?? [];
  return controllers?.split(',').includes(controller) ? path : undefined;
}

/** The names of the groups below `top` on the way to `group`; none if it is not below, as after a move between namespaces. */
function pathBelow(top: string, group: string): string[] {
  const [above, all] = [top, group].map((path) => path.split('/').filter(Boolean)) as [string[], string[]];
  const isBelow = above.every((name, depth) => all[depth] === name) && !all.includes('..');
  return isBelow ? all.slice(above.length) : [];
}

/** A folder, and those on a path below it. */
function folders(top: string, names: readonly string[]): string[] {
  return [top, ...names.map((_, depth) => join(top, ...names.slice(0, depth + 1)))];
}

/** Infinity for `max`, −1 and a file that is missing. */
function quota(time: string | undefined, period: string | undefined): number {
  const cores = Number(time) / Number(period);
  return cores > 0 ? cores : Number.POSITIVE_INFINITY;
}

/** The text of a file; '' if it cannot be read, as on other systems and without permission. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trimEnd();
  } catch {
    return '';
  }
}
