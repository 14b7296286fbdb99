/**
 * Triangular solves and incomplete factors whose rows are cut into chunks, claimed in order: level sets and packs of super-rows. A unit is
 * a share of a thread, not of the rows: whoever computes one takes chunk after chunk, until none is left. Layout and order of the
 * chunks: `src/backends/team/ordered.ts`; arithmetic of a row: `trsv.ts`, `factor.ts`.
 *
 * A solve has a ticket for each chunk forward, and then for each one backward. A ticket is taken when the chunks that it needs are
 * done, which their words of `done` say: no thread waits while it holds a chunk, so one thread can finish a solve alone, and a thread that
 * is kept off its core holds up only what needs its chunk. A thread that has waited for long leaves; the others finish. The last one
 * to leave readies `state` for the next solve. Nobody waits at a barrier, and the two passes are one fork-join.
 */
import { FactorHeader, OrderedHeader, TrianglesHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';
import { luRows } from './factor';
import { backward, forward } from './trsv';

/** Places in `state`, in bytes. */
const TURN: usize = 64;
const OVER: usize = 68;
const ASLEEP: usize = 72;

/** Looks at a word before a thread sleeps, some 20 µs. */
const LOOKS: u32 = 8192;
const SLEEP_NS: i64 = 100_000_000;
/** Sleeps without a new ticket after which a thread leaves. */
const SLEEPS: u32 = 8;

export function ordered_trsv<V, X>(header: OrderedHeader, operands: Operands, begin: u32, end: u32): void {
  solve<V, X>(header, operands.x, operands.y, <X>operands.alpha, <X>operands.beta, end - begin);
}

function solve<V, X>(header: OrderedHeader, x: usize, y: usize, alpha: X, beta: X, shares: u32): void {
  const triangles = changetype<TrianglesHeader>(header.subject);
  const chunks = header.chunks;
  const turn = turnOf(header);
  for (let ticket = take(header, 2 * chunks, turn); ticket < 2 * chunks; ticket = take(header, 2 * chunks, turn)) {
    const isForward = ticket < chunks;
    const chunk = isForward ? ticket : 2 * chunks - 1 - ticket;
    const first = load<u32>(word(header.bounds, chunk));
    const last = load<u32>(word(header.bounds, chunk + 1));
    if (isForward) forwardRows<V, X>(triangles, x, first, last);
    else backwardRows<V, X>(triangles, y, first, last, alpha, beta);
    finish(header, chunk, 2 * turn + (isForward ? 1 : 2));
  }
  leave(header, shares);
}

// Functions of their own: V8 replaces its baseline code only between two calls.
function forwardRows<V, X>(triangles: TrianglesHeader, x: usize, first: u32, last: u32): void {
  for (let row = first; row < last; row++) forward<V, X>(triangles, x, row);
}

function backwardRows<V, X>(triangles: TrianglesHeader, y: usize, first: u32, last: u32, alpha: X, beta: X): void {
  for (let row = last; row > first; row--) backward<V, X>(triangles, y, row - 1, alpha, beta);
}

/** A row whose pivot is not usable does not end the factorization: the caller finds it in `status`, and begins again with a shift. */
export function ordered_factor<V, X>(header: OrderedHeader, operands: Operands, begin: u32, end: u32): void {
  const own = changetype<FactorHeader>(load<u32>(word(header.subject, begin)));
  const shift = <X>load<f64>(own.shift);
  const chunks = header.chunks;
  const turn = turnOf(header);
  for (let ticket = take(header, chunks, turn); ticket < chunks; ticket = take(header, chunks, turn)) {
    const first = load<u32>(word(header.bounds, ticket));
    const last = load<u32>(word(header.bounds, ticket + 1));
    const broken = luRows<V, X>(own, first, last, shift);
    if (broken !== 0) atomic.store<u32>(own.status, broken);
    finish(header, ticket, 2 * turn + 1);
  }
  leave(header, end - begin);
}

/** The turn of a run, of whose words of `done` each is 2 × turn + 1 or more. */
@inline
export function turnOf(header: OrderedHeader): u32 {
  return atomic.load<u32>(header.state, TURN);
}

/** The next ticket, when what it needs is done; `tickets` or more if none is left, or after long waits. */
export function take(header: OrderedHeader, tickets: u32, turn: u32): u32 {
  const chunks = header.chunks;
  const state = header.state;
  let ticket = atomic.load<u32>(state);
  for (let sleeps: u32 = 0; ticket < tickets; ) {
    const isForward = ticket < chunks;
    const chunk = isForward ? ticket : 2 * chunks - 1 - ticket;
    const until = 2 * turn + (isForward ? 1 : 2);
    const ptr = isForward ? header.beforePtr : header.afterPtr;
    const list = isForward ? header.before : header.after;
    // Backward also needs the own chunk forward.
    let open = word(header.done, chunk);
    let needed = isForward ? until - 2 : until - 1;
    for (let k = load<u32>(word(ptr, chunk)), last = load<u32>(word(ptr, chunk + 1)); k < last && isDone(open, needed); k++) {
      open = word(header.done, load<u32>(word(list, k)));
      needed = until;
    }
    if (isDone(open, needed)) {
      const found = atomic.cmpxchg<u32>(state, ticket, ticket + 1);
      if (found === ticket) return ticket;
      ticket = found;
      sleeps = 0;
      continue;
    }
    if (!look(open, needed)) {
      if (sleeps++ === SLEEPS) return tickets;
      sleep(state + ASLEEP, open, needed);
    }
    const next = atomic.load<u32>(state);
    if (next !== ticket) sleeps = 0;
    ticket = next;
  }
  return ticket;
}

/** Acquires what the thread that said so has written. */
@inline
function isDone(at: usize, needed: u32): bool {
  return <i32>(atomic.load<u32>(at) - needed) >= 0;
}

/** Whether a chunk is done within a short time. */
function look(at: usize, needed: u32): bool {
  for (let looks: u32 = 0; looks < LOOKS; looks++) if (isDone(at, needed)) return true;
  return false;
}

/** Until the chunk goes on, or for a while. */
function sleep(asleep: usize, at: usize, needed: u32): void {
  atomic.add<u32>(asleep, 1);
  const before = atomic.load<u32>(at);
  if (<i32>(before - needed) < 0) atomic.wait<i32>(at, <i32>before, SLEEP_NS);
  atomic.sub<u32>(asleep, 1);
}

/** Releases the rows of the chunk. The store and the load are sequentially consistent with `sleep`: either it finds the word changed, or it is seen. */
@inline
export function finish(header: OrderedHeader, chunk: u32, value: u32): void {
  const at = word(header.done, chunk);
  atomic.store<u32>(at, value);
  if (atomic.load<u32>(header.state, ASLEEP) !== 0) atomic.notify(at, -1);
}

/** The last share that is over readies the state: nobody takes another ticket of this turn. */
export function leave(header: OrderedHeader, shares: u32): void {
  const state = header.state;
  if (atomic.add<u32>(state, shares, OVER) + shares < header.shares) return;
  atomic.store<u32>(state, 0, OVER);
  atomic.store<u32>(state, 0);
  atomic.add<u32>(state, 1, TURN);
}
