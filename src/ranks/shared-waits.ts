/**
 * The waits of one rank for others of the same process. A rank that has a core to itself looks for a while, then it sleeps until it is woken. It throws
 * if what it waits for will never come: a rank has failed, or ended, or the ranks are out of step, which those that wait for long find out. It tells where it
 * waits in every group that it is in.
 */
import type { SparlaneError } from '../core/errors.js';
import { areDifferent, awaitsMessage, type Calls, heldForEver, isElsewhere, isHeld, outOfStep } from './calls.js';
import { ALL_OTHERS, NOBODY, type PostedNeed } from './notice.js';
import { type Bed, endOf, type SharedControl } from './shared-control.js';

/** Time after which a sleeping rank looks for trouble by itself, and tells others what it waits for. */
const PATIENCE_MS = 100;

/** Time for which a rank that has a core to itself looks before it sleeps: some wake-ups of a thread. */
const SPIN_MS = 0.1;
const LOOKS_PER_CLOCK = 64;

/** What a rank needs in a group in which it does not wait. */
const NO_NEED = { of: NOBODY, until: 0, held: [] } as const;

/** Waits without a look after several looks in vain. */
const MOST_UNSEEN = 63;

export class SharedWaits {
  /** Whether this rank may look for a while before it sleeps. */
  maySpin = false;
  readonly #control: SharedControl;
  readonly #rank: number;
  /** This rank among all. */
  readonly #member: number;
  readonly #calls: Calls;
  /** Those of this rank in all its groups, these included. */
  readonly #all: SharedWaits[];
  readonly #bell: Bed;
  readonly #others: readonly number[];
  /**
   * Waits without a look: none after a look with success, and after each one in vain twice as many as before. Where other programs have the cores,
   * the rank that is waited for needs this one's: with four busy processes beside two ranks on two cores, solves take half the time.
   */
  #unseen = 0;
  #unseenLeft = 0;

  /** @param of the waits of the ranks of which these are a group; undefined: they are all ranks */
  constructor(control: SharedControl, rank: number, calls: Calls, of?: SharedWaits) {
    this.#control = control;
    this.#rank = rank;
    this.#member = control.members[rank]!;
    this.#calls = calls;
    this.#all = of === undefined ? [] : of.#all;
    this.#all.push(this);
    this.maySpin = of?.maySpin ?? false;
    this.#bell = control.atBell(rank);
    this.#others = Array.from({ length: control.size }, (_, r) => r).filter((r) => r !== rank);
  }

  /** Waits until all ranks have called it. What a rank wrote before is then visible to all. */
  meet(): void {
    const control = this.#control;
    // Whoever meets again after an error must not be counted twice.
    if (control.hasTrouble) this.#checkAll(this.#others);
    const { epoch } = control;
    if (!control.arrive()) this.#wait(control.atMeeting, this.#others, () => control.epoch !== epoch);
  }

  /**
   * Waits until a condition holds that a neighbour brings about before it rings this rank's bell.
   *
   * @param until the neighbour has come to the call of this number before it does so; default: the present one
   */
  await(neighbour: number, holds: () => boolean, until?: number): void {
    this.#wait(this.#bell, [neighbour], holds, until);
  }

  /** @throws SparlaneError `backend` if a rank has failed or the ranks are out of step */
  check(): void {
    this.#checkAll([]);
  }

  /** This rank does not wait in this group any more. */
  leave(): void {
    this.#all.splice(this.#all.indexOf(this), 1);
  }

  /** @throws SparlaneError `backend` if any rank has failed, one of `needed` has ended or the ranks are out of step: the condition will never hold */
  #wait({ words, index }: Bed, needed: readonly number[], holds: () => boolean, until?: number): void {
    if (this.maySpin && this.#unseenLeft-- <= 0 && this.#looks(holds)) return;
    const begin = performance.now();
    /** Others were told of so many held ranks. */
    let told = -1;
    for (;;) {
      const before = Atomics.load(words, index);
      if (holds()) return;
      this.#checkAll(needed, holds);
      if (performance.now() - begin >= PATIENCE_MS) {
        const held = this.#held();
        if (held.size !== told) this.#post(needed, until, [...held]);
        told = held.size;
        this.#compare(needed, holds, held);
      }
      Atomics.wait(words, index, before, PATIENCE_MS);
    }
  }

  /** Tells where this rank waits: last in the group in which it does, so who finds it there finds the same in the other groups. */
  #post(needed: readonly number[], until: number | undefined, held: readonly number[]): void {
    const at = this.#calls.position;
    for (const waits of this.#all)
      if (waits !== this) waits.#tell({ ...NO_NEED, at: waits.#calls.elsewhere(at.what), held });
    this.#tell({ at, of: needed === this.#others ? ALL_OTHERS : needed[0]!, until: until ?? at.number, held });
  }

  #tell(need: PostedNeed): void {
    this.#control.post(this.#rank, need);
  }

  /** @throws SparlaneError `backend` if there is trouble, and what this rank waits for has not come */
  #checkAll(needed: readonly number[], holds?: () => boolean): void {
    const control = this.#control;
    if (!control.hasTrouble) return;
    const mine = ` and ${this.#calls.position.what} on rank ${this.#member}`;
    const failure = control.failureWith(mine);
    const gone = control.goneOf(needed);
    const ended = () => (gone === undefined ? undefined : endOf(gone, mine, this.#member));
    const problem = failure ?? control.outOfStep ?? ended();
    if (problem === undefined || (failure === undefined && holds?.())) return;
    this.#fail(problem);
  }

  /** Compares the calls of this rank with those of the ranks that it waits for, where they wait for long, too. */
  #compare(needed: readonly number[], holds: () => boolean, held: ReadonlySet<number>): void {
    const { position } = this.#calls;
    for (const rank of needed) {
      const there = this.#control.posted(rank)?.at;
      if (there === undefined) continue;
      const other = this.#control.members[rank]!;
      const mayBeHeld = awaitsMessage(position) || isElsewhere(there);
      if (mayBeHeld && held.has(other) && !holds())
        this.#fail(heldForEver(this.#member, position.what, other, there.what));
      if (awaitsMessage(position)) continue;
      // Whoever has passed this call has done its part before it posted a later one.
      const hasPassed = there.number > position.number && !holds();
      if (hasPassed || areDifferent(position, there)) this.#fail(outOfStep(this.#member, position, other, there));
    }
  }

  /**
   * Finds the ranks, by their numbers among all, that wait for this one, or for others that do. None of them goes on before this one does, so what they have
   * posted, and sent, stays as it is found.
   */
  #held(): Set<number> {
    const held = new Set([this.#member]);
    const groups = this.#all.map((waits) => ({ waits, needs: waits.#needs(waits === this) }));
    // Ranks that are added meanwhile are visited, too.
    for (const of of held) for (const { waits, needs } of groups) waits.#addHeld(held, of, needs);
    held.delete(this.#member);
    return held;
  }

  /** Where each rank waits, as far as is known. @param isHere whether this rank waits in this group */
  #needs(isHere: boolean): readonly (PostedNeed | undefined)[] {
    const mine = isHere ? this.#calls.position : this.#calls.elsewhere('');
    const posted = (rank: number) => this.#control.posted(rank);
    return this.#control.members.map((_, rank) => (rank === this.#rank ? { ...NO_NEED, at: mine } : posted(rank)));
  }

  /** Adds the ranks that wait for a held one in this group, and those that they hold up. */
  #addHeld(held: Set<number>, of: number, needs: readonly (PostedNeed | undefined)[]): void {
    const { members } = this.#control;
    const place = members.indexOf(of);
    const at = needs[place]?.at;
    if (at === undefined) return;
    for (const [rank, need] of needs.entries()) {
      if (need === undefined || rank === place || (need.of !== ALL_OTHERS && need.of !== place)) continue;
      if (!isHeld(need, at.number, this.#control.sent(place, rank))) continue;
      for (const other of [members[rank]!, ...need.held]) held.add(other);
    }
  }

  /** This rank gives its call up, so all others learn of it. */
  #fail(problem: SparlaneError): never {
    this.#control.breakUp(problem);
    throw problem;
  }

  #looks(holds: () => boolean): boolean {
    const end = performance.now() + SPIN_MS;
    do {
      for (let look = 0; look < LOOKS_PER_CLOCK; look++) {
        if (!holds()) continue;
        this.#unseen = 0;
        return true;
      }
    } while (performance.now() < end);
    this.#unseen = Math.min(2 * this.#unseen + 1, MOST_UNSEEN);
    this.#unseenLeft = this.#unseen;
    return false;
  }
}
