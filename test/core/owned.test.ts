import { expect, test } from 'vitest';
import { assemble, Owned } from '#dist/core/owned.js';

function resource(name: string, disposed: string[]): Disposable {
  return { [Symbol.dispose]: () => void disposed.push(name) };
}

test('owned objects are disposed with it, the last one first, once', () => {
  const disposed: string[] = [];
  const owned = new Owned();
  const first = resource('first', disposed);
  expect(owned.own(first)).toBe(first);
  owned.own(resource('second', disposed));
  owned[Symbol.dispose]();
  owned[Symbol.dispose]();
  expect(disposed).toEqual(['second', 'first']);
});

test('a failed assembly frees everything', () => {
  const disposed: string[] = [];
  const fail = () =>
    assemble((owned) => {
      owned.own(resource('one', disposed));
      owned.own(resource('other', disposed));
      throw new Error('no more');
    });
  expect(fail).toThrow('no more');
  expect(disposed).toEqual(['other', 'one']);
  expect(assemble((owned) => owned.own(resource('kept', disposed)))).toBeDefined();
  expect(disposed.length).toBe(2);
});
