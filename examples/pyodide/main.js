/** Runs `program.py` in Pyodide, in a page; what it prints appears there. */
import { createEngine } from 'sparlane';
import { installSparlane } from './bridge.mjs';
import program from './program.py?raw';
import source from './sparlane.py?raw';

/** The files of the npm package `pyodide`, served as they are. */
const PYODIDE = new URL('pyodide/', document.baseURI).href;

const printed = document.querySelector('pre');
const print = (line) => printed.append(`${line}\n`);

try {
  const { loadPyodide } = await import(/* @vite-ignore */ `${PYODIDE}pyodide.mjs`);
  const [engine, pyodide] = await Promise.all([createEngine({ threads: 1 }), loadPyodide({ indexURL: PYODIDE })]);
  pyodide.setStdout({ batched: print });
  installSparlane(pyodide, engine, source);
  pyodide.runPython(program);
  print('Done.');
} catch (error) {
  print(`Error: ${error.message}`);
}
