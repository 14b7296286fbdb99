/**
 * Tasks of a factorization that threads claim in order: whole subtrees of small supernodes, and for each of the others its updates in groups, the
 * last one with its factorization. A task waits for those that it needs (`backends/team/ordered.ts`).
 *
 * Neither the tasks nor their order depend on the number of threads, and the updates of a supernode keep their order, so neither does any bit, nor
 * the column that an error names.
 */
import { type Pattern, transposedPattern } from '../../core/transpose.js';
import { ROOT } from '../../reorder/elimination.js';
import type { Supernodes } from './supernodes.js';
import type { Updates } from './updates.js';

export interface Tasks {
  readonly count: number;
  /** For each task four words: supernodes [first, last), updates [begin, end) of theirs. */
  readonly words: Uint32Array;
  /** The work of each, in multiplications and additions. */
  readonly work: Float64Array;
  /** The tasks that each one needs, all before it. */
  readonly before: Pattern;
}

/**
 * A whole subtree is a task up to this share of all work, so that threads begin with enough of them and seldom wait for the last one; the updates of
 * a supernode above are grouped into tasks of a smaller share, so that there are not too many.
 */
const SUBTREE_SHARE = 2 ** -10;
const GROUP_SHARE = 2 ** -14;

/** Least work of a task, some 20 µs. */
const TASK_WORK = 2 ** 18;

/** What a supernode, one of its rows, and an update take beside arithmetic, in multiplications and additions. */
const NODE_WORK = 200;
const ROW_WORK = 4;
const UPDATE_WORK = 60;

/** Threads for which the order is made: with fewer, tasks are merely ready earlier. */
const WORKERS = 16;

export function tasksOf(nodes: Supernodes, updates: Updates): Tasks {
  const work = workOf(nodes, updates);
  const made = cutIntoTasks(nodes, updates, work);
  return inOrder(made);
}

interface NodeWork {
  /** Of each update. */
  readonly updates: Float64Array;
  /** Of each supernode beside its updates. */
  readonly own: Float64Array;
}

function workOf({ count, columnPtr, rowCount }: Supernodes, { ptr, words }: Updates): NodeWork {
  const ofUpdates = new Float64Array(ptr[count]!);
  for (let u = 0; u < ofUpdates.length; u++) {
    const d = words[3 * u]!;
    const length = words[3 * u + 2]!;
    const rows = rowCount[d]! - words[3 * u + 1]!;
    const depth = columnPtr[d + 1]! - columnPtr[d]!;
    ofUpdates[u] = UPDATE_WORK + ROW_WORK * rows + 2 * depth * length * (rows - length / 2);
  }
  const own = new Float64Array(count);
  for (let s = 0; s < count; s++) {
    const columns = columnPtr[s + 1]! - columnPtr[s]!;
    const rows = rowCount[s]!;
    own[s] = NODE_WORK + ROW_WORK * rows * columns + columns * columns * (rows - (2 * columns) / 3);
  }
  return { updates: ofUpdates, own };
}

interface Unordered {
  /** Four words for each. */
  readonly words: number[];
  readonly work: number[];
  /** The earlier tasks that each one needs. */
  readonly before: number[][];
}

function cutIntoTasks(nodes: Supernodes, { ptr, words }: Updates, work: NodeWork): Unordered {
  const { count, parent } = nodes;
  const subtree = Float64Array.from(work.own);
  const firstOf = Uint32Array.from({ length: count }, (_, s) => s);
  for (let s = 0; s < count; s++) {
    for (let u = ptr[s]!; u < ptr[s + 1]!; u++) subtree[s]! += work.updates[u]!;
    const up = parent[s]!;
    if (up === ROOT) continue;
    subtree[up]! += subtree[s]!;
    firstOf[up] = Math.min(firstOf[up]!, firstOf[s]!);
  }
  let total = 0;
  for (let s = 0; s < count; s++) if (parent[s] === ROOT) total += subtree[s]!;
  const limit = Math.max(TASK_WORK, total * SUBTREE_SHARE);
  const grain = Math.max(TASK_WORK, total * GROUP_SHARE);
  const tasks: Unordered = { words: [], work: [], before: [] };
  /** The task that completes each supernode. */
  const taskOf = new Uint32Array(count);
  const add = (first: number, last: number, begin: number, end: number, ofTask: number, before: number[]) => {
    tasks.words.push(first, last, begin, end);
    tasks.work.push(ofTask);
    tasks.before.push(before);
    taskOf.fill(tasks.work.length - 1, first, last);
  };
  // Subtrees next to each other, such as those of leaves, are one task. In postorder each is in one piece.
  let begin = 0;
  let collected = 0;
  const close = (end: number) => {
    if (end > begin) add(begin, end, ptr[begin]!, ptr[end]!, collected, []);
    begin = end;
    collected = 0;
  };
  for (let s = 0; s < count; s++) {
    const isLarge = subtree[s]! > limit;
    const up = parent[s]!;
    const isTop = !isLarge && (up === ROOT || subtree[up]! > limit);
    if (isTop) {
      if (collected + subtree[s]! > limit) close(firstOf[s]!);
      collected += subtree[s]!;
    }
    if (!isLarge) continue;
    close(s);
    begin = s + 1;
    let group: number[] = [];
    let ofGroup = 0;
    let from = ptr[s]!;
    const previous = () => (from > ptr[s]! ? [taskOf[s]!] : []);
    for (let u = from; u < ptr[s + 1]!; u++) {
      group.push(taskOf[words[3 * u]!]!);
      ofGroup += work.updates[u]!;
      // The last group is that of the factorization.
      if (ofGroup < grain || u + 1 === ptr[s + 1]!) continue;
      add(s, s + 1, from, u + 1, ofGroup, [...previous(), ...group]);
      from = u + 1;
      group = [];
      ofGroup = 0;
    }
    add(s, s + 1, from, ptr[s + 1]!, ofGroup + work.own[s]!, [...previous(), ...group]);
  }
  close(count);
  return { ...tasks, before: tasks.before.map((list) => [...new Set(list)]) };
}

/** The tasks in an order in which WORKERS threads would begin them, those with most work on their way to a root first. */
function inOrder({ words, work, before }: Unordered): Tasks {
  const count = work.length;
  const needs = patternOf(before);
  const neededBy = transposedPattern({
    rows: count,
    cols: count,
    nnz: needs.idx.length,
    rowPtr: needs.ptr,
    colIdx: needs.idx,
  });
  const ahead = Float64Array.from(work);
  for (let task = count - 1; task >= 0; task--) {
    let most = 0;
    for (let k = neededBy.ptr[task]!; k < neededBy.ptr[task + 1]!; k++) most = Math.max(most, ahead[neededBy.idx[k]!]!);
    ahead[task]! += most;
  }
  const open = Uint32Array.from(before, (list) => list.length);
  const ready = new Queue((a, b) => ahead[a]! > ahead[b]! || (ahead[a] === ahead[b] && a < b));
  const running = new Queue((a, b) => endOf[a]! < endOf[b]! || (endOf[a] === endOf[b] && a < b));
  const endOf = new Float64Array(count);
  const order: number[] = [];
  for (let task = 0; task < count; task++) if (open[task] === 0) ready.push(task);
  for (let now = 0; order.length < count || running.size > 0; ) {
    while (ready.size > 0 && running.size < WORKERS) {
      const task = ready.pop();
      order.push(task);
      endOf[task] = now + work[task]!;
      running.push(task);
    }
    const done = running.pop();
    now = endOf[done]!;
    for (let k = neededBy.ptr[done]!; k < neededBy.ptr[done + 1]!; k++)
      if (--open[neededBy.idx[k]!]! === 0) ready.push(neededBy.idx[k]!);
  }
  const place = new Uint32Array(count);
  order.forEach((task, k) => {
    place[task] = k;
  });
  return {
    count,
    words: Uint32Array.from(order.flatMap((task) => words.slice(4 * task, 4 * task + 4))),
    work: Float64Array.from(order, (task) => work[task]!),
    before: patternOf(order.map((task) => before[task]!.map((needed) => place[needed]!))),
  };
}

function patternOf(lists: readonly (readonly number[])[]): Pattern {
  const ptr = new Uint32Array(lists.length + 1);
  lists.forEach((list, k) => {
    ptr[k + 1] = ptr[k]! + list.length;
  });
  return { ptr, idx: Uint32Array.from(lists.flat()) };
}

/** Numbers of which the first one is taken: a binary heap. */
class Queue {
  readonly #items: number[] = [];
  readonly #isBefore: (a: number, b: number) => boolean;

  constructor(isBefore: (a: number, b: number) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  push(item: number): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    for (; at > 0; ) {
      const up = (at - 1) >>> 1;
      if (!this.#isBefore(item, items[up]!)) break;
      items[at] = items[up]!;
      at = up;
    }
    items[at] = item;
  }

  pop(): number {
    const items = this.#items;
    const first = items[0]!;
    const last = items.pop()!;
    const { length } = items;
    if (length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= length) break;
      if (child + 1 < length && this.#isBefore(items[child + 1]!, items[child]!)) child++;
      if (!this.#isBefore(items[child]!, last)) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = last;
    return first;
  }
}
