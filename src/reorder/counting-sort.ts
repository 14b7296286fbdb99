/** The indices 0 … keys.length − 1 by ascending key; equal keys keep their order. O(length + greatest key). */
export function byAscendingKey(keys: Uint32Array): Uint32Array {
  let greatest = 0;
  for (let i = 0; i < keys.length; i++) if (keys[i]! > greatest) greatest = keys[i]!;
  const next = new Uint32Array(greatest + 2);
  for (let i = 0; i < keys.length; i++) next[keys[i]! + 1]!++;
  for (let key = 0; key <= greatest; key++) next[key + 1]! += next[key]!;
  const order = new Uint32Array(keys.length);
  for (let i = 0; i < keys.length; i++) order[next[keys[i]!]!++] = i;
  return order;
}
