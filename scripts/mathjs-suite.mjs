/**
 * Runs the unit tests of mathjs itself twice, with an instance as it is and with one that @sparlane/mathjs accelerates, from the first entry on.
 * Prints how many tests pass, and each test whose outcome differs; the exit code is 1 if there is one.
 *
 * usage: node scripts/mathjs-suite.mjs <path of a checkout of mathjs, after `npm install` there> [--only function/matrix]      (after `npm run build`)
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { accelerate } from '@sparlane/mathjs';
import { createEngine } from 'sparlane';

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', default: '' }, run: { type: 'string' } },
});
if (positionals.length !== 1) throw new Error('expected the path of a checkout of mathjs');
const checkout = resolve(positionals[0]);

if (flags.run === undefined) await compare();
else await runSuite(flags.run === 'accelerated');

/** Both runs in turn, each in a process of its own: the tests share the instance of their process. */
async function compare() {
  const plain = await outcomesOf('plain');
  const accelerated = await outcomesOf('accelerated');
  const differing = [...new Set([...plain.keys(), ...accelerated.keys()])].filter(
    (title) => plain.get(title)?.passed !== accelerated.get(title)?.passed,
  );
  for (const title of differing) {
    const said = accelerated.get(title)?.message ?? plain.get(title)?.message;
    process.stdout.write(`differs: ${title}\n  ${said}\n`);
  }
  process.exitCode = differing.length > 0 ? 1 : 0;
}

/** The outcomes of one run by the full title of a test. */
async function outcomesOf(run) {
  const child = fork(import.meta.filename ?? process.argv[1], [checkout, '--run', run, '--only', flags.only]);
  const outcomes = new Map();
  let calls = 0;
  child.on('message', (message) => {
    if (message.calls !== undefined) calls = message.calls;
    else outcomes.set(message.title, message);
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the run ${run} ended with ${code}`);
  const passed = [...outcomes.values()].filter((outcome) => outcome.passed).length;
  const byEngine =
    run === 'accelerated' ? `; the engine made ${calls} vectors, operators and products of matrices` : '';
  process.stdout.write(`${run}: ${passed} passed, ${outcomes.size - passed} failed${byEngine}\n`);
  return outcomes;
}

/** Runs the tests in this process, and sends the outcome of each. */
async function runSuite(isAccelerated) {
  const { default: math } = await import(pathToFileURL(join(checkout, 'src/defaultInstance.js')).href);
  const engine = await createEngine({ threads: 1 });
  const calls = { count: 0 };
  countCalls(engine, calls);
  if (isAccelerated) accelerateAll(math, engine);
  const Mocha = createRequire(join(checkout, 'package.json'))('mocha');
  const mocha = new Mocha({ timeout: 60_000, reporter: class {} });
  const tests = join(checkout, 'test/unit-tests');
  for (const file of readdirSync(tests, { recursive: true }))
    if (file.endsWith('.test.js') && file.startsWith(flags.only)) mocha.addFile(join(tests, file));
  await mocha.loadFilesAsync();
  const seen = new Map();
  const send = (test, passed, message) => {
    // Titles that occur twice are numbered.
    const full = test.fullTitle();
    const count = (seen.get(full) ?? 0) + 1;
    seen.set(full, count);
    process.send({ title: count === 1 ? full : `${full} (${count})`, passed, message });
  };
  await new Promise((done) => {
    const runner = mocha.run(done);
    runner.on('pass', (test) => send(test, true));
    runner.on('fail', (test, error) => send(test, false, String(error.message).split('\n')[0]));
  });
  process.send({ calls: calls.count });
  await engine.dispose();
  process.disconnect();
}

/** The instance, and all that its tests create from it. */
function accelerateAll(math, engine) {
  accelerate(math, engine, { minEntries: 0 });
  const { create } = math;
  math.create = (...args) => {
    const created = create(...args);
    accelerateAll(created, engine);
    return created;
  };
}

/** Counts what the engine is asked for, which shows that it computes something. */
function countCalls(engine, calls) {
  for (const name of ['operator', 'vector', 'multiplyMatrices']) {
    const original = engine[name];
    engine[name] = (...args) => {
      calls.count++;
      return original.apply(engine, args);
    };
  }
}
