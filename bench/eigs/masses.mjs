/** Mass matrices for the stiffness of `elasticity3d` of the gallery and of `frame`. */
import { CsrBuilder } from '../../dist/index.node.js';

/** The consistent mass of n³ trilinear cubes of side 1 and density 1, nodes and unknowns as in `elasticity3d`: those with x = 0 are held. */
export function blockMass(n) {
  const rows = 3 * n * (n + 1) ** 2;
  const builder = new CsrBuilder(rows, rows, { symmetry: 'symmetric' });
  const at = (x, y, z) => (z * (n + 1) + y) * n + x - 1;
  for (let z = 0; z <= n; z++)
    for (let y = 0; y <= n; y++)
      for (let x = 1; x <= n; x++)
        for (const [w, weightZ] of beside(z, n))
          for (const [v, weightY] of beside(y, n))
            for (const [u, weightX] of beside(x, n)) {
              const [row, col] = [at(x, y, z), at(u, v, w)];
              if (u === 0 || col < row) continue;
              for (let d = 0; d < 3; d++) builder.add(3 * row + d, 3 * col + d, weightX * weightY * weightZ);
            }
  return builder.build();
}

/** The nodes beside one on a line of n elements, and itself, with their mass: [1/3, 1/6; 1/6, 1/3] for each element. */
function beside(node, n) {
  const pairs = [[node, node === 0 || node === n ? 1 / 3 : 2 / 3]];
  if (node > 0) pairs.push([node - 1, 1 / 6]);
  if (node < n) pairs.push([node + 1, 1 / 6]);
  return pairs;
}

/** The inertia of a node against rotation over its mass. Chosen. */
const ROTATION = 0.1;

/**
 * The lumped mass of a frame whose nodes are numbered as those of `frame`: a node has half of the mass of each of its beams, which are 3 high, 5 wide, and
 * have mass 1 for a unit of length, and a small inertia of rotation.
 */
export function frameMass(storeys, bays) {
  const rows = 3 * storeys * (bays + 1);
  const builder = new CsrBuilder(rows, rows, { symmetry: 'symmetric' });
  for (let storey = 1, row = 0; storey <= storeys; storey++)
    for (let k = 0; k <= bays; k++, row += 3) {
      const upright = storey === storeys ? 1.5 : 3;
      const mass = upright + (k === 0 || k === bays ? 2.5 : 5);
      for (const [d, factor] of [1, 1, ROTATION].entries()) builder.add(row + d, row + d, factor * mass);
    }
  return builder.build();
}
