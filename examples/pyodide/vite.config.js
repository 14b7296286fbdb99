/** `main.js` waits for Pyodide at its top level. */
export default { build: { target: 'es2022' } };
