/** Checks of the products of a matrix stored in the heap, for any backend and any number of parts. */
import type { Plan } from '../backends/plan.js';
import { createReference } from '../backends/reference.js';
import type { CsrMatrix } from '../core/csr.js';
import { Owned } from '../core/owned.js';
import { type FloatArray, vectorArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import { MAX_PARTS } from '../execution/carries.js';
import type { StoredMatrix, Verb } from '../formats/format.js';
import type { HeapScope } from '../memory/heap.js';
import { Vector } from '../memory/vector.js';
import { type Case, type Expectations, expectationsOf } from './expectations.js';
import { compareProduct, type ExpectedProduct, expectedProduct } from './expected.js';
import type { Findings } from './findings.js';
import { type FramedVector, framedVector, sameWords } from './framed.js';
import type { DataKind } from './matrices.js';

/**
 * `reference`: plain TypeScript. `wasm`: an engine of one thread. `threads`: of several threads. `cuda`: with a device.
 */
export type BackendName = 'reference' | 'wasm' | 'threads' | 'cuda';

/** y ← α A x + β y by a plan, with the vectors of the bench. */
type Multiply = (plan: Plan, alpha: number, beta: number) => void;

interface Bench {
  readonly multiply: Multiply;
  readonly findings: Findings;
  readonly engine: Engine;
  readonly stored: StoredMatrix;
  readonly verb: Verb;
  readonly backend: BackendName;
  readonly kind: DataKind;
  readonly x: FramedVector;
  readonly y: FramedVector;
  /** Room for the y of the first way of each group. An array of its own for each case took a third of the suite's time. */
  readonly kept: Map<number, Kept>;
}

/**
 * Multiplies a matrix with one kind of data in every way of the backend: with all factors of this kind, two of them twice, or (brief) with
 * these two, once each.
 *
 * @param matrix the matrix that multiplies: for `spmv_t` the transpose of the stored one
 */
export function checkProducts(
  findings: Findings,
  engine: Engine,
  stored: StoredMatrix,
  matrix: CsrMatrix,
  backend: BackendName,
  kind: DataKind,
  brief: boolean,
  verb: Verb = 'spmv',
): void {
  using scope = engine.heap.scope();
  using owned = new Owned();
  const bench = setUp(scope, owned, { findings, engine, stored, verb, backend, kind }, matrix);
  const { x: numbers, cases: all, withNaN } = expectationsOf(matrix, stored.dtype, kind);
  bench.x.data.set(numbers);
  const xBits = bench.x.words.slice();
  const cases = brief ? all.filter(({ isBrief }) => isBrief) : all;
  const plans = makePlans(bench);
  for (const one of cases) checkCase(bench, one, one.isBrief && !brief ? [...plans, ...plans] : plans);
  if (backend === 'cuda') for (const way of plans) checkRecorded(bench, cases[0]!, way);
  const xIntact = sameWords(bench.x.words, xBits) && bench.x.guardsIntact();
  findings.expect(xIntact, `${kind} data`, () => 'x has changed, or memory around it');
  if (kind === 'integer' && stored.nnz > 0) {
    for (const way of plans) if (way.isOther) checkNaN(bench, matrix, withNaN, way);
  }
  for (const { plan } of plans) plan[Symbol.dispose]();
}

function setUp(
  scope: HeapScope,
  owned: Owned,
  settings: Omit<Bench, 'x' | 'y' | 'kept' | 'multiply'>,
  { rows, cols }: CsrMatrix,
): Bench {
  const { engine, stored, backend } = settings;
  const given = { ...settings, kept: new Map<number, Kept>() };
  const type = vectorArray(stored.dtype);
  const x = framedVector(engine.cpu.space, scope, type, cols);
  const y = framedVector(engine.cpu.space, scope, type, rows);
  if (backend !== 'cuda')
    return { ...given, x, y, multiply: (plan, alpha, beta) => plan.run(x.vector, y.vector, alpha, beta) };
  const [from, to] = [x, y].map(({ data }) => owned.own(new Vector(engine.space, type, data.length)));
  const multiply: Multiply = (plan, alpha, beta) => {
    plan.run(from!.set(x.data), to!.set(y.data), alpha, beta);
    to!.copyTo(y.data);
  };
  return { ...given, x, y, multiply };
}

/** Most elements of the private y of all parts. */
const MAX_SUMS = 2 ** 18;

/** A way to multiply, and the group of ways with which it must agree bit by bit. */
interface Way {
  readonly name: string;
  readonly plan: Plan;
  /** Selects a way of the stored matrix. */
  readonly select?: (() => void) | undefined;
  /** Whether it computes rows otherwise than the ways before. */
  readonly isOther: boolean;
  /** Ways of one group give the same bits. Undefined: even two runs of this way may differ. */
  readonly group: number | undefined;
}

/**
 * All ways of a backend. For the team: numbers of parts, the last one larger than the number of units. For a device:
 * the methods of the matrix's kernels.
 */
function makePlans(bench: Bench): Way[] {
  const { engine, stored, verb, backend } = bench;
  if (backend === 'reference')
    return [{ name: 'reference', plan: createReference(engine.cpu.space).plan(stored, verb), isOther: true, group: 0 }];
  if (backend === 'cuda') return makeDevicePlans(bench);
  const stages = stored.stages[verb]!;
  const isScattered = stages.some(({ scatters }) => scatters);
  const dependOn = isScattered ? 'parts' : (stored.bitsDependOn ?? 'nothing');
  const units = Math.max(...stages.map((stage) => stage.units));
  const most = isScattered ? Math.floor(MAX_SUMS / (stored.cols + 1)) : MAX_PARTS;
  const [first, ...others] = isScattered ? [] : (stored.ways ?? []);
  const wayOf = (parts: number, select = first, words = ''): Way => ({
    name: `${parts} part${parts === 1 ? '' : 's'}${words}`,
    plan: engine.cpu.plan(stored, verb, { parts }),
    select,
    isOther: parts === 1 || select !== first,
    group: dependOn === 'chance' ? undefined : dependOn === 'parts' ? parts : 0,
  });
  const all = [1, 2, 3, 7, Math.min(units + 3, most, MAX_PARTS)].map((parts) => wayOf(parts));
  return [...all, ...others.map((select, k) => wayOf(2, select, `, way ${k + 2}`))];
}

function makeDevicePlans({ engine, stored, verb }: Bench): Way[] {
  const gpu = engine.gpus[0]!;
  const isChance = stored.bitsDependOn === 'chance';
  const isCut = stored.stages[verb]!.length > 1;
  const methods = gpu.methodsOf(stored, verb).flatMap(({ name, parameters, atomic }) => {
    return methodVariants(name, parameters, isCut).map((one) => ({ name: one, atomic }));
  });
  return methods.map(({ name, atomic }, place) => ({
    name,
    plan: gpu.plan(stored, verb, { method: name }),
    isOther: true,
    group: atomic || isChance ? undefined : place,
  }));
}

/** A method with its defaults, and with what it chooses for large matrices, or for short or long rows, only. `isCut`: the layout has cut long block rows of its own. */
function methodVariants(name: string, parameters: readonly string[], isCut: boolean): readonly string[] {
  const others: string[] = [];
  if (parameters.includes('clustered')) others.push('clustered=1');
  if (parameters.includes('maxRowBlocks') && name !== 'tune') others.push(`maxRowBlocks=${isCut ? 0 : 1}`);
  if (parameters.includes('nb')) others.push('nb=8&groups=16&ept=8');
  if (parameters.includes('slots')) others.push('slots=1', 'slots=8');
  return [name, ...others.map((other) => `${name}?${other}`)];
}

/** Checks one pair of factors in every way. Ways of one group must give the same bits; a way may occur twice. */
function checkCase(bench: Bench, one: Case, ways: readonly Way[]): void {
  const { findings, y } = bench;
  const firsts = new Map<number, First>();
  for (const way of ways) {
    run(bench, one, way);
    const check = describe(bench, one, way);
    const first = way.group === undefined ? undefined : firsts.get(way.group);
    // Sums with the bits of sums that were compared are as right as these.
    const isSame = first !== undefined && sameWords(y.words, first.words);
    const areRight = isSame
      ? findings.expect(first.areRight, check, () => 'wrong, as in the first product')
      : checkSums(bench, one.expected, check);
    findings.expect(y.guardsIntact(), check, () => 'memory around y has changed');
    if (way.group === undefined) continue;
    if (first === undefined) firsts.set(way.group, { ...keep(bench, way.group), areRight });
    else {
      const agree = isSame || sameNumbers(y.data, first.numbers);
      findings.expect(agree, check, () => 'bits differ from those of the first product');
    }
  }
}

/** A copy of y: `words` and `numbers` are views of the same memory. */
interface Kept {
  readonly words: Uint32Array;
  readonly numbers: FloatArray;
}

/** The y of the first way of a group, and whether it was right. */
interface First extends Kept {
  readonly areRight: boolean;
}

/** Copies y to the room of a group. */
function keep({ kept, y }: Bench, group: number): Kept {
  const room = kept.get(group) ?? roomFor(y);
  kept.set(group, room);
  room.words.set(y.words);
  return room;
}

function roomFor({ data }: FramedVector): Kept {
  const numbers = data.slice();
  return { words: new Uint32Array(numbers.buffer), numbers };
}

/** Checks a product of the device as a graph, which is recorded, then launched twice. */
function checkRecorded(bench: Bench, one: Case, way: Way): void {
  const { engine, stored, x, y } = bench;
  using from = engine.vector(x.data, { dtype: stored.dtype });
  using to = engine.vector(one.before, { dtype: stored.dtype });
  using graph = engine.record(() => way.plan.run(from, to, one.alpha, one.beta));
  graph.launch();
  graph.launch();
  to.copyTo(y.data);
  checkSums(bench, one.expected, `${describe(bench, one, way)}, as a graph`);
}

function run({ engine, backend, findings, y, multiply }: Bench, { alpha, beta, before }: Case, way: Way): void {
  const { plan, select } = way;
  select?.();
  y.data.set(before);
  multiply(plan, alpha, beta);
  if (backend !== 'threads' || plan.parts < 2) return;
  for (let part = 0; part < plan.parts; part++) findings.ranks.add(engine.team.rankOf(part));
}

function checkSums({ findings, kind, y }: Bench, expected: ExpectedProduct, check: string): boolean {
  const wrong = kind === 'real' ? compareProduct(expected, y.data).firstWrong : firstDifferent(y.data, expected.y);
  return findings.expect(wrong < 0, check, () => {
    const tolerance = kind === 'real' ? ` ± ${expected.tolerance[wrong]}` : '';
    return `y[${wrong}] is ${y.data[wrong]}, not ${expected.y[wrong]}${tolerance}`;
  });
}

/** All NaN are equal. The sign of a zero is ignored, because it depends on the order. */
function firstDifferent(y: FloatArray, expected: FloatArray): number {
  for (let i = 0; i < y.length; i++) {
    if (y[i] !== expected[i] && !(Number.isNaN(y[i]) && Number.isNaN(expected[i]))) return i;
  }
  return -1;
}

/**
 * The same bits, except in a NaN: it is unspecified which NaN an operation returns. A loop, as in the functions beside it: with
 * closures, these comparisons took a third of the suite's time.
 */
function sameNumbers(a: FloatArray, b: FloatArray): boolean {
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false;
  return true;
}

function describe({ kind, verb }: Bench, { alpha, beta }: Case, { name }: Way): string {
  return `${verb === 'spmv_t' ? 'Aᵀ, ' : ''}${kind} data, α = ${alpha}, β = ${beta}, ${name}`;
}

/**
 * A NaN in x must reach the rows that use it, also with α = 0, and no other rows: elements that a kernel reads next to
 * a row (padding or the next row) must not enter its sum. With formats that multiply padding, it may reach other rows
 * too.
 */
function checkNaN(bench: Bench, matrix: CsrMatrix, known: Expectations['withNaN'], { name, plan, select }: Way): void {
  const { findings, stored, x, y, multiply } = bench;
  select?.();
  const { colIdx, cols } = matrix;
  for (const column of new Set([0, colIdx[0]!, colIdx[colIdx.length >> 1]!, cols - 1])) {
    const kept = x.data[column]!;
    x.data[column] = NaN;
    for (const alpha of [1, 0]) {
      y.data.fill(0);
      multiply(plan, alpha, 0);
      const key = `${column} ${alpha}`;
      const right = known.get(key) ?? expectedProduct(matrix, stored.dtype, x.data, y.data, alpha, 0).y;
      known.set(key, right);
      const expected = stored.multipliesPadding ? right.slice() : right;
      if (stored.multipliesPadding)
        for (let i = 0; i < y.data.length; i++) if (Number.isNaN(y.data[i])) expected[i] = NaN;
      const wrong = firstDifferent(y.data, expected);
      const message = () => `y[${wrong}] is ${y.data[wrong]}, not ${expected[wrong]}`;
      findings.expect(wrong < 0, `x[${column}] NaN, α = ${alpha}, ${name}`, message);
    }
    x.data[column] = kept;
  }
}
