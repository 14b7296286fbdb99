/** Number formats of the page. */

/** Positive numbers with the significant digits: 0.0098, 0.98, 9.81, 98.1, 981. */
export function rounded(number) {
  if (number > 0 && number < 0.0995) return number.toPrecision(2);
  if (number >= 999.5) return count(number);
  return number.toFixed(number < 9.995 ? 2 : number < 99.95 ? 1 : 0);
}

/** A ratio, as '1.65 ×'; a dash if undefined. */
export function times(ratio) {
  return ratio === undefined ? '–' : `${rounded(ratio)} ×`;
}

/** Thousands separated by a narrow no-break space. */
export function count(number) {
  return Math.round(number)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

export function percent(share) {
  return `${Math.round(100 * share)} %`;
}

export function threadsOf(number) {
  return number === 1 ? '1 thread' : `${number} threads`;
}
