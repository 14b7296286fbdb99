/** Claims as several ranks see them, all on this thread. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_PARTS } from '#dist/execution/carries.js';
import { Claims, claimsBytes, DONE, REFRESH_WITHIN } from '#dist/execution/claims.js';

const RANKS = 64;

function createClaims(count: number, epoch: number): Claims[] {
  const bytes = claimsBytes(MAX_PARTS, RANKS);
  const pages = Math.ceil((2 * bytes) / 2 ** 16);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  const claims = Array.from({ length: count }, () => new Claims(memory, 0, bytes, MAX_PARTS, RANKS));
  claims[0]!.refresh(epoch);
  return claims;
}

function linesOf(claims: Claims): number {
  return claims.workers * claims.linesOfShare;
}

/** Every part with its line. */
function placesOf(claims: Claims): { part: number; line: number }[] {
  return Array.from({ length: linesOf(claims) }, (_, line) => line).flatMap((line) => {
    const parts = claims.firstOf(line + 1) - claims.firstOf(line);
    return Array.from({ length: parts }, (_, k) => ({ part: claims.firstOf(line) + k, line }));
  });
}

const sizes = [fc.integer({ min: 1, max: MAX_PARTS }), fc.integer({ min: 1, max: RANKS })] as const;

test('parts lie in lines of 1 to 16, in order, and each worker has the same number of lines', () => {
  const [claims] = createClaims(1, 4) as [Claims];
  fc.assert(
    fc.property(...sizes, (parts, workers) => {
      claims.choose(4, parts, workers);
      expect(claims.workers).toBe(Math.min(parts, workers));
      expect(Number.isInteger(claims.linesOfShare)).toBe(true);
      expect(placesOf(claims).map(({ part }) => part)).toEqual(Array.from({ length: parts }, (_, part) => part));
      for (let line = 0; line < linesOf(claims); line++) {
        const count = claims.firstOf(line + 1) - claims.firstOf(line);
        expect(count > 0 && count <= 16, `${count} parts in line ${line}`).toBe(true);
      }
    }),
  );
});

test('the root is complete with the last part, whoever finishes which part in which order', () => {
  let epoch = 0;
  const [first, second] = createClaims(2, epoch) as [Claims, Claims];
  fc.assert(
    fc.property(...sizes, fc.infiniteStream(fc.nat()), (parts, workers, random) => {
      epoch += 4;
      first.choose(epoch, parts, workers);
      second.choose(epoch, parts, workers);
      const open = placesOf(first);
      const taken: { part: number; line: number; by: Claims }[] = [];
      while (open.length + taken.length > 0) {
        const isTake = open.length > 0 && (taken.length === 0 || random.next().value % 2 === 0);
        const from = isTake ? open : taken;
        const [one] = from.splice(random.next().value % from.length, 1) as [(typeof taken)[number]];
        if (isTake) {
          const by = random.next().value % 2 === 0 ? first : second;
          expect(by.isOpen(one.part)).toBe(true);
          expect(by.take(one.part, one.line, by === first ? 0 : 1)).toBe(true);
          expect(first.take(one.part, one.line, 0) || second.take(one.part, one.line, 1)).toBe(false);
          expect(first.rankOf(one.part)).toBe(by === first ? 0 : 1);
          taken.push({ ...one, by });
        } else {
          const isLast = open.length + taken.length === 0;
          expect(one.by.finish(one.part, one.line, true)).toBe(isLast);
          expect(first.words[0] === epoch + DONE).toBe(isLast);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('a fault reaches the root when all parts are finished', () => {
  const [claims] = createClaims(1, 4) as [Claims];
  claims.choose(8, 300, 8);
  for (const { part, line } of placesOf(claims)) {
    claims.take(part, line, 0);
    claims.finish(part, line, part !== 17);
  }
  expect(claims.words[0]).toBe(8 + DONE + 1);
  expect(claims.findPart((part) => claims.isFault(part))).toBe(17);
  expect(claims.giveUp()).toBe(false);
});

test('a line that a thread left before it was complete is completed by a sweep', () => {
  const [first, second] = createClaims(2, 4) as [Claims, Claims];
  for (const one of [first, second]) one.choose(8, 40, 2);
  const places = placesOf(first);
  for (const { part, line } of places) first.take(part, line, 0);
  for (const { part, line } of places.slice(1)) first.finish(part, line, true);
  const { load } = Atomics;
  Atomics.load = () => {
    throw new Error('the end of this thread');
  };
  try {
    expect(() => first.finish(0, 0, true)).toThrow(/the end/);
  } finally {
    Atomics.load = load;
  }
  expect(second.words[0]).not.toBe(8 + DONE);
  expect(second.sweep()).toBe(40);
  expect(second.words[0]).toBe(8 + DONE);
});

test.each([0, 2 ** 31 - 8, -(2 ** 31), -8])('a thread of an earlier stage takes nothing, from epoch %i on', (start) => {
  const [caller, late] = createClaims(2, start) as [Claims, Claims];
  late.choose(start, 32, 2);
  for (let step = 0; step < 8; step++) {
    const epoch = (start + 4 * step) | 0;
    caller.choose(epoch, 32, 2);
    for (const { part, line } of placesOf(caller)) {
      expect(caller.take(part, line, 0)).toBe(true);
      if (step > 0) expect(late.take(part, line, 1)).toBe(false);
      caller.finish(part, line, true);
    }
    expect(caller.words[0]).toBe((epoch + DONE) | 0);
    for (const { part, line } of placesOf(late)) expect(late.take(part, line, 1)).toBe(false);
  }
});

test('a refresh opens nothing for earlier stages, and everything for later ones', () => {
  const [caller, late] = createClaims(2, 0) as [Claims, Claims];
  caller.choose(4, 4, 2);
  for (const { part, line } of placesOf(caller)) {
    caller.take(part, line, 0);
    caller.finish(part, line, true);
  }
  caller.refresh(8);
  late.choose(4, 64, 2);
  for (const { part, line } of placesOf(late)) expect(late.take(part, line, 1)).toBe(false);
  caller.choose(8 + REFRESH_WITHIN, 64, 2);
  for (const { part, line } of placesOf(caller)) expect(caller.take(part, line, 0)).toBe(true);
});
