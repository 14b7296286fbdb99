/** `sparlane selftest`: the conformance suite without a test runner; the first command to run on a new machine. */
import type { Command } from 'commander';
import { LARGE_BLOCK_SPECS } from '../conformance/large-blocks.js';
import { runSuite, type SuiteResult } from '../conformance/suite.js';
import { DTYPES, type Dtype } from '../core/types.js';
import { DEVICE_SPECS } from '../formats/registry.js';
import { createEngine } from '../index.node.js';
import { formatCount } from '../pictures/figures.js';
import {
  CORES,
  deviceOption,
  dtypesOption,
  formatsOption,
  integerOption,
  jsonOption,
  threadsOption,
} from './options.js';
import { print, printJson, printLine } from './output.js';

interface SelftestOptions {
  /** Default: that of the suite. */
  readonly formats?: readonly string[];
  readonly dtype: readonly Dtype[];
  readonly threads?: number;
  readonly device: 'cpu' | 'cuda';
  readonly brief?: boolean;
  readonly random?: number;
  readonly seed?: number;
  readonly json?: boolean;
}

/** Enough to find errors between threads; the suite waits until every thread has taken part. */
const MAX_TEST_THREADS = 8;

const FAILURES_SHOWN = 3;

const WHERE_WIDTH = '8 threads, relaxed-simd'.length;

export function addSelftest(program: Command): void {
  program
    .command('selftest')
    .summary('run the conformance suite on this machine')
    .description(
      'Runs every format × dtype × backend on matrices that tend to expose errors, and checks input validation.',
    )
    .addOption(formatsOption(undefined))
    .addOption(dtypesOption(DTYPES))
    .addOption(threadsOption(2))
    .addOption(deviceOption(['cpu', 'cuda']))
    .option('--brief', 'only a few checks per kernel, for use under slow tools such as sanitizers')
    .addOption(
      integerOption('--random <n>', 'products with random matrices and options, per backend; default: 10000', 0, 1e9),
    )
    .addOption(integerOption('--seed <n>', 'the first of the random cases; default: 0', 0, 2 ** 31 - 1))
    .addOption(jsonOption())
    .action(selftest);
}

async function selftest({ formats, dtype: dtypes, threads, device, json, ...rest }: SelftestOptions): Promise<void> {
  const results: SuiteResult[] = [];
  const names = [...(formats ?? [...DEVICE_SPECS, ...LARGE_BLOCK_SPECS]), 'random products'];
  const width = Math.max(...names.map(({ length }) => length));
  const options = {
    createEngine,
    device,
    dtypes,
    ...rest,
    ...(formats === undefined ? {} : { specs: formats }),
    threads: threads ?? Math.min(Math.max(CORES, 2), MAX_TEST_THREADS),
  };
  for await (const result of runSuite(options)) {
    results.push(result);
    if (!json) printResult(result, width);
  }
  const failed = results.reduce((sum, { findings }) => sum + findings.failed, 0);
  const checks = results.reduce((sum, { findings }) => sum + findings.checks, 0);
  if (json) printJson({ ok: failed === 0, checks, failed, results: results.map(asJson) });
  else print(failed === 0 ? `all ${formatCount(checks)} checks passed` : `${formatCount(failed)} checks failed`);
  if (failed > 0) process.exitCode = 1;
}

function printResult({ name, dtype, target, findings }: SuiteResult, width: number): void {
  const { backend, binary, threads } = target;
  const { checks, failed, failures } = findings;
  const where = [backend === 'threads' ? `${threads} threads` : backend, binary].filter(Boolean).join(', ');
  const verdict = failed === 0 ? 'ok    ' : 'FAILED';
  const count =
    failed === 0 ? `${formatCount(checks)} checks` : `${formatCount(failed)} of ${formatCount(checks)} checks`;
  const head = `${verdict}  ${name.padEnd(width)}  ${(dtype ?? '').padEnd(5)}  `;
  printLine(head, `${where.padEnd(WHERE_WIDTH)}  ${count}`);
  for (const { matrix, check, message } of failures.slice(0, FAILURES_SHOWN)) {
    printLine('        ', `${[matrix, check].filter(Boolean).join(', ')}: ${message}`);
  }
}

function asJson({ name, dtype, target, findings, ms }: SuiteResult): Record<string, unknown> {
  const { checks, failed, refused, failures } = findings;
  return { name, dtype, ...target, checks, failed, refused, ms, failures };
}
