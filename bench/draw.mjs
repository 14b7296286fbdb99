/** Numbers that look random and are the same on every run. */

/** Returns a function whose results are uniform numbers in [0, 1). @param seed an integer */
export function drawFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
