/** The example of Pyodide in a page, with the files of Pyodide's core as its package has them. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserIsThere, type Stage, setStage } from './harness.js';

const FOLDER = dirname(createRequire(import.meta.url).resolve('pyodide/package.json'));
const CORE = readdirSync(FOLDER).filter((name) =>
  /^(pyodide\.mjs|pyodide\.asm\.\w+|python_stdlib\.zip|pyodide-lock\.json)$/.test(name),
);

describe.runIf(browserIsThere('the example of Pyodide'))('examples/pyodide', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await setStage('examples/pyodide');
  });

  afterAll(() => stage?.close());

  it('runs the program in a page', async () => {
    const files = CORE.map((name): [string, Uint8Array] => [`/pyodide/${name}`, readFileSync(join(FOLDER, name))]);
    const page = await stage.open({}, Object.fromEntries(files));
    await page.waitForFunction(() => /Done|Error:/.test(document.querySelector('pre')?.textContent ?? ''));
    const printed = (await page.locator('pre').textContent())!;
    expect(printed).toMatch(/^3600 unknowns, 17760 entries; the product is that of Python: True\n/);
    expect(printed).toMatch(/\nsolve: True, tolerance; /);
    expect(Number(/values are wrong by (\S+)/.exec(printed)![1])).toBeLessThan(1e-9);
    expect(printed).toMatch(/\nSparlaneError: x: expected length 3600, got 2\nDone\.\n$/);
  });
});
