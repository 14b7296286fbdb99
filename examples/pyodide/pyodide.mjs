/**
 * Runs `program.py` in Pyodide's core, with the Python module `sparlane` (`sparlane.py`) over an engine: in Node; `index.html` does so in a page.
 *
 * usage: node examples/pyodide/pyodide.mjs
 */
import { readFileSync } from 'node:fs';
import { loadPyodide } from 'pyodide';
import { createEngine } from 'sparlane';
import { installSparlane } from './bridge.mjs';

const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');

const [engine, pyodide] = await Promise.all([createEngine(), loadPyodide()]);
installSparlane(pyodide, engine, read('sparlane.py'));
pyodide.runPython(read('program.py'));
await engine.dispose();
