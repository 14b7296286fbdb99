/** `sparlane selftest`: the conformance suite, without a test runner; what to run first on a new machine. */
import type { Command } from 'commander';
import { runSuite, type SuiteResult } from '../conformance/suite.js';
import { DTYPES, type Dtype } from '../core/types.js';
import { DEVICE_SPECS } from '../formats/registry.js';
import { createEngine } from '../index.node.js';
import { CORES, deviceOption, dtypesOption, formatsOption, jsonOption, threadsOption } from './options.js';
import { formatCount, print, printJson } from './output.js';

interface Options {
  /** Default: what the suite has. */
  readonly formats?: readonly string[];
  readonly dtype: readonly Dtype[];
  readonly threads?: number;
  readonly device: 'cpu' | 'cuda';
  readonly brief?: boolean;
  readonly json?: boolean;
}

/** Enough to find what goes wrong between threads; every one of them has to be seen at work, which takes time. */
const MOST_THREADS = 8;

const FAILURES_SHOWN = 3;

export function addSelftest(program: Command): void {
  program
    .command('selftest')
    .summary('the conformance suite on this machine')
    .description(
      'Runs every format × dtype × backend on matrices that are known to go wrong, and bad input at every door.',
    )
    .addOption(formatsOption(undefined))
    .addOption(dtypesOption(DTYPES))
    .addOption(threadsOption(2))
    .addOption(deviceOption(['cpu', 'cuda']))
    .option('--brief', 'a few checks of every kernel, for tools that make them slow')
    .addOption(jsonOption())
    .action(selftest);
}

async function selftest({ formats, dtype: dtypes, threads, device, brief = false, json }: Options): Promise<void> {
  const results: SuiteResult[] = [];
  const width = Math.max(...(formats ?? DEVICE_SPECS).map(({ length }) => length));
  const options = {
    createEngine,
    device,
    brief,
    dtypes,
    ...(formats === undefined ? {} : { specs: formats }),
    threads: threads ?? Math.min(Math.max(CORES, 2), MOST_THREADS),
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

function printResult({ name, dtype, target, findings, ms }: SuiteResult, width: number): void {
  const { backend, binary, threads } = target;
  const { checks, failed, failures } = findings;
  const where = [backend, binary, threads > 1 ? `${threads} threads` : undefined].filter(Boolean).join(', ');
  const verdict = failed === 0 ? 'ok    ' : 'FAILED';
  const count =
    failed === 0 ? `${formatCount(checks)} checks` : `${formatCount(failed)} of ${formatCount(checks)} checks`;
  print(
    `${verdict}  ${name.padEnd(width)}  ${(dtype ?? '').padEnd(5)}  ${where.padEnd(32)}  ${count}, ${ms.toFixed(0)} ms`,
  );
  for (const { matrix, check, message } of failures.slice(0, FAILURES_SHOWN)) {
    print(`          ${[matrix, check].filter(Boolean).join(', ')}: ${message}`);
  }
}

function asJson({ name, dtype, target, findings, ms }: SuiteResult): Record<string, unknown> {
  const { checks, failed, refused, failures } = findings;
  return { name, dtype, ...target, checks, failed, refused, ms, failures };
}
