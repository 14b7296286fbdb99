/**
 * Random lists of vector operations, recorded and launched, against the same operations one after the other: spaces compute the operations of
 * a recording together, and the bits must be the same. With vectors of two lengths, blocks of vectors, scalars that are elements of
 * blocks, and more operations, vectors and dot products than fit into one list.
 */

import type { Engine } from '../engine/engine.js';
import { below, type RandomStream, randomStream } from '../gallery/draw.js';
import type { Scalar } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';
import type { Findings } from './findings.js';
import { sampleVector } from './matrices.js';

const OPERATIONS = 60;
const VECTORS = 10;
const SCALARS = 9;
const COLUMNS = 3;

/** Elements of a vector; the other length is that of the small blocks, whose elements are scalars of products of blocks. */
const LENGTH = 2_500;
const SEEDS = { brief: 4, whole: 40 };

interface Operands {
  readonly vectors: readonly Vector[];
  readonly scalars: readonly Scalar[];
  readonly blocks: readonly Vector[];
  /** COLUMNS × COLUMNS. */
  readonly small: readonly Vector[];
}

type Operation = (operands: Operands) => unknown;

export function checkRecordings(findings: Findings, engine: Engine, brief: boolean): void {
  for (let seed = 0; seed < (brief ? SEEDS.brief : SEEDS.whole); seed++) {
    const random = randomStream(seed, 'structure');
    const operations = Array.from({ length: OPERATIONS }, () => drawOperation(random, engine.space.heap !== undefined));
    const single = operandsOf(engine);
    const together = operandsOf(engine);
    for (const operation of operations) operation(single);
    const recording = engine.record(() => {
      for (const operation of operations) operation(together);
    });
    recording.launch();
    const [expected, got] = [single, together].map(numbersOf) as [Float64Array, Float64Array];
    const wrong = got.findIndex((number, i) => !Object.is(number, expected[i]));
    const what = () => `seed ${seed}: number ${wrong} is ${got[wrong]}, not ${expected[wrong]}`;
    findings.expect(wrong < 0, 'a recording has the bits of its operations', what);
    recording.dispose();
    for (const one of [single, together].flatMap((all) => Object.values(all).flat())) one.dispose();
  }
}

function operandsOf(engine: Engine): Operands {
  const make = (count: number, length: number, columns = 1) =>
    Array.from({ length: count }, (_, i) => {
      const numbers = sampleVector(length * columns, 'real', i).map((value) => value / Math.sqrt(LENGTH));
      return engine.vector(numbers, { columns });
    });
  return {
    vectors: make(VECTORS, LENGTH),
    scalars: Array.from({ length: SCALARS }, (_, i) => engine.scalar(1 / (i + 2))),
    blocks: make(2, LENGTH, COLUMNS),
    small: make(2, COLUMNS, COLUMNS),
  };
}

/**
 * Roots and quotients are left out: they would soon make everything NaN.
 *
 * @param hasBlocks whether products of blocks can be recorded: a device allocates memory for them
 */
function drawOperation(random: RandomStream, hasBlocks: boolean): Operation {
  const [u, v, w] = Array.from({ length: 3 }, () => below(random, VECTORS)) as [number, number, number];
  const [s, t, r] = Array.from({ length: 3 }, () => below(random, SCALARS)) as [number, number, number];
  const [b, c] = [below(random, 2), below(random, 2)];
  const kinds: readonly Operation[] = [
    ({ vectors, scalars }) => vectors[u]!.axpby(scalars[s]!, vectors[v]!, 0.5),
    ({ vectors, scalars }) => vectors[u]!.axpby(0.25, vectors[v]!, scalars[s]!.times(-0.5)),
    ({ vectors }) => vectors[u]!.axpby(1, vectors[v]!, 0),
    ({ vectors }) => vectors[u]!.multiply(vectors[v]!, vectors[w]!),
    ({ vectors, scalars }) => vectors[u]!.dot(vectors[v]!, scalars[s]!),
    ({ vectors, scalars }) => vectors[u]!.dots([vectors[v]!, vectors[w]!], [scalars[s]!, scalars[(s + 1) % SCALARS]!]),
    ({ scalars }) => scalars[r]!.setSum(scalars[s]!, scalars[t]!.times(-1)),
    ({ scalars }) => scalars[r]!.setProduct(scalars[s]!, scalars[t]!),
    ({ small }) => small[c]!.axpby(0.5, small[1 - c]!, 0.25),
    ({ blocks }) => blocks[b]!.axpby(0.5, blocks[1 - b]!, 0.25),
  ];
  const ofBlocks: readonly Operation[] = [
    ({ blocks, small }) => blocks[b]!.gram(blocks[1 - b]!, small[c]!),
    ({ blocks, small }) => blocks[b]!.combine(blocks[1 - b]!, small[c]!, 0.1, 0.5),
  ];
  const drawn = hasBlocks ? [...kinds, ...ofBlocks] : kinds;
  return drawn[below(random, drawn.length)]!;
}

function numbersOf({ vectors, scalars, blocks, small }: Operands): Float64Array {
  const arrays = [...vectors, ...blocks, ...small].map((one) => Array.from(one.toArray()));
  return Float64Array.from([...arrays.flat(), ...scalars.map(({ value }) => value)]);
}
