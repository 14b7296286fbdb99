/** The checks in a runtime with Node's modules. Prints the results as JSON. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as sparlane from 'sparlane';
import * as asynchronous from 'sparlane/async';
import * as pictures from 'sparlane/pictures';
import { runChecks } from './checks.mjs';

const folder = mkdtempSync(join(tmpdir(), 'sparlane-platform-'));
const node = { folder, join, require: createRequire(import.meta.url) };
const results = await runChecks([sparlane, asynchronous, pictures], node);
rmSync(folder, { recursive: true });
process.stdout.write(`${JSON.stringify(results)}\n`);
process.exit(); // in Bun, what has failed may have left a thread
