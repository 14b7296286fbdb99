/** The conformance suite under vitest: a test for every format × dtype on a backend, with every binary of this machine. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkFormat } from '#dist/conformance/check-format.js';
import { isBriefFor, LARGE_BLOCK_SPECS, matricesFor } from '#dist/conformance/large-blocks.js';
import type { BackendName } from '#dist/conformance/product-checks.js';
import { createTarget, type SuiteTarget, suiteTargets } from '#dist/conformance/suite.js';
import { DTYPES } from '#dist/core/types.js';
import type { Engine } from '#dist/engine/engine.js';
import { FORMAT_SPECS } from '#dist/formats/registry.js';
import { createEngine } from '#dist/index.node.js';
import { smallMatrix } from '../gallery/arbitrary.js';
import { allOrAgain, fewOrAll, isAgain, isSoak } from '../soak.js';

const THREADS = 2;

/** Names of formats, separated by commas, for a run that checks these only. */
const { SPARLANE_FORMATS: selection = '' } = process.env;
const isSelected = (spec: string) => selection === '' || selection.split(',').includes(spec.replace(/\?.*/, ''));
const specs = FORMAT_SPECS.filter(isSelected);
const largeBlocks = LARGE_BLOCK_SPECS.filter(isSelected);
/**
 * On threads each format in one dtype, in turn, which is another one with another binary, and on another Node again: threads only divide the
 * parts, whose products are checked in every dtype on one thread. In a soak test in all.
 */
const casesOf = (all: readonly string[], { backend, binary }: SuiteTarget) =>
  all.flatMap((spec, k) => {
    if (backend !== 'threads' || isSoak) return DTYPES.map((dtype) => ({ spec, dtype }));
    const turn = isAgain ? 2 : binary === 'simd' ? 0 : 1;
    return [{ spec, dtype: DTYPES[(k + turn) % DTYPES.length]! }];
  });
const targets = await suiteTargets(THREADS);

/** A file for each backend, so that a runner may run them in parallel. */
export function conform(backend: BackendName): void {
  const mine = targets.filter((target) => target.backend === backend);
  describe.each(mine)('$backend $binary', (target) => conformOn(target));
}

function conformOn(target: SuiteTarget): void {
  const { backend, brief } = target;
  let engine: Engine;
  beforeAll(async () => {
    engine = await createTarget(createEngine, target);
  });
  afterAll(() => engine.dispose());

  // The largest blocks take seconds: on one thread only.
  const blocks = backend === 'wasm' ? largeBlocks : largeBlocks.filter((spec) => !isBriefFor(spec));
  it.each(casesOf([...specs, ...blocks], target))('$spec $dtype', async ({ spec, dtype }) => {
    const matrices = matricesFor(spec);
    const check = { spec, dtype, backend, brief: brief || isBriefFor(spec) };
    const findings = await checkFormat(engine, check, matrices);
    expect(findings.failures).toEqual([]);
    if (blocks.includes(spec)) expect(findings.refused).toBeLessThan(matrices.length);
    expect(findings.checks).toBeGreaterThan(matrices.length);
  });

  it.each(allOrAgain(specs, 4))('%s on random matrices', async (spec) => {
    const property = fc.asyncProperty(smallMatrix({ max: 24 }), fc.constantFrom(...DTYPES), async (matrix, dtype) => {
      const { failures } = await checkFormat(engine, { spec, dtype, backend, brief }, [{ name: 'random', matrix }]);
      expect(failures).toEqual([]);
    });
    await fc.assert(property, { numRuns: fewOrAll(8, 40) });
  });
}
