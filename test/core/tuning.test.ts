/** A tuning as JSON: written tunings can be read, and errors are named. */
import { describe, expect, it } from 'vitest';
import { type CostTuning, checkTuning, parseTuning, type Tuning } from '#dist/core/tuning.js';

const FIT = { constant: 10.5, slope: -0.4, rmsLog2: 0.5, medianLoss: 0.01, worstLoss: 0.04 };
const COSTS: CostTuning = {
  entryNs: 0.35,
  byteNs: [0.01, 0.02, 0.04],
  missNs: [0.3, 0.7, 11],
  cacheBytes: [1e6, 2e7],
  busSpeedup: 1.4,
  startNs: 270,
  forkJoinNs: 900,
};
const TUNING: Tuning = {
  version: 1,
  date: '2026-11-21T10:00:00.000Z',
  machine: { cpu: 'AMD EPYC', threads: 2, binary: 'simd' },
  csrk: { f64: FIT, mixed: FIT },
  costs: COSTS,
};

const costs = (changes: object) => ({ costs: { ...COSTS, ...changes } });

describe('parseTuning', () => {
  it('reads what JSON.stringify wrote', () => {
    expect(parseTuning(JSON.stringify(TUNING))).toEqual(TUNING);
  });

  it('takes a tuning without sections, or with empty ones', () => {
    const { csrk: _, costs: __, ...none } = TUNING;
    expect(parseTuning(JSON.stringify(none))).toEqual(none);
    expect(parseTuning(JSON.stringify({ ...none, csrk: {} }))).toEqual({ ...none, csrk: {} });
  });

  it('takes the figures of a machine with one thread', () => {
    const { busSpeedup: _, forkJoinNs: __, ...alone } = COSTS;
    const tuning = { ...TUNING, costs: alone };
    expect(parseTuning(JSON.stringify(tuning))).toEqual(tuning);
  });

  it.each<[text: string, message: RegExp | string]>([
    ['', "tuning: expected JSON, got ''"],
    ['{"version": 1', /^tuning: expected JSON, got '\{"version/],
    ['null', 'tuning: expected an object, got null'],
    ['7', 'tuning: expected an object, got 7'],
    ['[]', 'tuning.version: expected 1, got undefined'],
    ['{}', 'tuning.version: expected 1, got undefined'],
    ['{"version": 2, "later": true}', 'tuning.version: expected 1, got 2'],
  ])('refuses %j', (text, message) => {
    expect(() => parseTuning(text)).toThrowError(
      expect.objectContaining({ code: 'parse', message: matching(message) }),
    );
  });

  it.each<[name: string, change: object, message: string]>([
    ['an unknown section', { csrq: {} }, "tuning: expected only the options csrk, costs, got 'csrq'"],
    [
      'a section __proto__',
      JSON.parse('{ "__proto__": {} }'),
      "tuning: expected only the options csrk, costs, got '__proto__'",
    ],
    ['a date that is a number', { date: 2026 }, 'tuning.date: expected a date, got 2026'],
    ['no date', { date: undefined }, 'tuning.date: expected a date, got undefined'],
    ['a date that is none', { date: 'yesterday' }, "tuning.date: expected a date, got 'yesterday'"],
    ['no machine', { machine: undefined }, 'tuning.machine: expected an object, got undefined'],
    ['no processor', { machine: { threads: 2, binary: 'simd' } }, 'tuning.machine.cpu: expected a text, got undefined'],
    ['half a thread', { machine: { ...TUNING.machine, threads: 0.5 } }, 'tuning.machine.threads: expected an integer'],
    [
      'a binary that is a number',
      { machine: { ...TUNING.machine, binary: 3 } },
      'tuning.machine.binary: expected a text',
    ],
    ['a section that is a number', { csrk: 5 }, 'tuning.csrk: expected an object, got 5'],
    ['an unknown dtype', { csrk: { f16: FIT } }, "tuning.csrk: expected only the options f64, f32, mixed, got 'f16'"],
    ['a fit that is a number', { csrk: { f64: 96 } }, 'tuning.csrk.f64: expected an object, got 96'],
    [
      'a fit without slope',
      { csrk: { f64: { ...FIT, slope: undefined } } },
      'tuning.csrk.f64.slope: expected a finite number, got undefined',
    ],
    [
      'a constant that is a text',
      { csrk: { mixed: { ...FIT, constant: '9' } } },
      "tuning.csrk.mixed.constant: expected a finite number, got '9'",
    ],
    [
      'costs without entries',
      costs({ entryNs: undefined }),
      'tuning.costs.entryNs: expected a number from 0.000001 to',
    ],
    ['a memory at rest', costs({ byteNs: [1, 1, 0] }), 'tuning.costs.byteNs[2]: expected a number from 0.000001 to'],
    ['two levels', costs({ missNs: [1, 1] }), 'tuning.costs.missNs: expected 3 numbers, got '],
    ['one cache', costs({ cacheBytes: 1e6 }), 'tuning.costs.cacheBytes: expected 2 numbers, got 1000000'],
    [
      'a speedup that is a text',
      costs({ busSpeedup: '2' }),
      'tuning.costs.busSpeedup: expected a number from 0.000001 to',
    ],
    ['costs of something else', costs({ gbps: 1 }), 'tuning.costs: expected only the options entryNs, '],
    ['an unknown figure', { csrk: { f64: { ...FIT, r2: 1 } } }, 'tuning.csrk.f64: expected only the options constant'],
  ])('refuses %s', (_, change, message) => {
    const wrong = { ...TUNING, ...change };
    const inText = expect.objectContaining({ code: 'parse', message: expect.stringContaining(message) });
    const asOption = expect.objectContaining({ code: 'argument', message: expect.stringContaining(message) });
    expect(() => parseTuning(JSON.stringify(wrong))).toThrowError(inText);
    expect(() => checkTuning(JSON.parse(JSON.stringify(wrong)))).toThrowError(asOption);
  });
});

function matching(message: RegExp | string) {
  return typeof message === 'string' ? message : expect.stringMatching(message);
}
