/** Returns the sum of numbers, from the first to the last. */
export function sum(numbers: ArrayLike<number>): number {
  let total = 0;
  for (let k = 0; k < numbers.length; k++) total += numbers[k]!;
  return total;
}
