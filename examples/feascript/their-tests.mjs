/**
 * Runs the tests of FEAScript with sparlane in the place of the global `math`.
 *
 * usage: node examples/feascript/their-tests.mjs CHECKOUT
 *   CHECKOUT   of github.com/FEAScript/FEAScript-core, after `npm install`
 */
import { spawnSync } from 'node:child_process';

const NODE_OPTIONS = `--import=${import.meta.resolve('./global-math.mjs')}`;
const options = { cwd: process.argv[2], stdio: 'inherit', env: { ...process.env, NODE_OPTIONS } };
process.exitCode = spawnSync(process.execPath, ['--test'], options).status ?? 1;
