/**
 * sparlane in Pyodide: the Python module `sparlane` (`sparlane.py`) over an engine.
 *
 * Pyodide and the engine have a WebAssembly memory each. Arrays of Python are read, and results are written, through views of Python's memory: a matrix is
 * copied once, into the memory of the engine, and a vector at each call. 64-bit integers as numbers, and elements that are not adjacent, take another copy. A
 * view is valid until Python code runs, since Python's memory may then grow; so nothing that outlives a call refers to one.
 */
import { eigs, factor, SparlaneError, solve } from 'sparlane';

/**
 * Makes `import sparlane` possible in Pyodide.
 *
 * @param pyodide what `loadPyodide` gave
 * @param engine what `createEngine` gave, on the CPU. It is disposed after the last use in Python
 * @param source the text of `sparlane.py`
 */
export function installSparlane(pyodide, engine, source) {
  pyodide.registerJsModule('_sparlane', functionsOf(engine));
  pyodide.FS.writeFile('sparlane.py', source);
}

/** Returns the functions that `sparlane.py` calls. Arrays of Python come as proxies, which Pyodide destroys after the call. */
function functionsOf(engine) {
  return {
    object: Object.fromEntries,
    matrix: (layout, rows, cols, ...arrays) =>
      viewing(arrays, (indptr, indices, data) => {
        const matrix = { rows, cols, ...positionsOf(layout, indptr, indices), values: asNumbers(elementsOf(data)) };
        return engine.matrix(matrix);
      }),
    operator: (matrix) => engine.operator(matrix),
    apply: (operator, x, y) =>
      viewing([x, y], (from, to) => {
        const source = vectorOf(engine, from);
        const result = engine.vector(operator.rows, { columns: source.columns });
        freeing([source, result], () => {
          operator.apply(source, result);
          result.copyTo(to.data);
        });
      }),
    factor: (matrix, options) => factor(engine, matrix, options),
    solveFactored: (factors, b, x) =>
      viewing([b, x], (from, to) => {
        const source = vectorOf(engine, from);
        freeing([source], () => {
          const result = factors.solve(source);
          freeing([result], () => result.copyTo(to.data));
        });
      }),
    solve: (matrix, b, x, options) =>
      viewing([b, x], (from, to) => {
        const source = vectorOf(engine, from);
        return freeing([source], () => {
          const { x: result, converged, reason, iterations, relativeResidual } = solve(engine, matrix, source, options);
          freeing([result], () => result.copyTo(to.data));
          return { converged, reason, iterations, relativeResidual };
        });
      }),
    eigs: (matrix, mass, k, options) => {
      const { values, vectors, converged, reason } = eigs(engine, matrix, k, { ...options, B: mass ?? undefined });
      const copyTo = (...arrays) =>
        viewing(arrays, (ofValues, ofVectors) =>
          freeing([vectors], () => {
            ofValues.data.set(values);
            vectors.copyTo(ofVectors.data);
          }),
        );
      return { count: values.length, converged, reason, copyTo };
    },
  };
}

/** Calls `use` with views of Python's memory, which are valid until it returns: numbers with `data`, `shape`, `strides` and `offset`. */
function viewing(arrays, use) {
  const views = [];
  try {
    for (const array of arrays) views.push(array.getBuffer());
    return use(...views);
  } finally {
    for (const view of views) view.release();
  }
}

function freeing(vectors, use) {
  try {
    return use();
  } finally {
    for (const vector of vectors) vector.dispose();
  }
}

/** Returns the members of a matrix that say where its entries are. */
function positionsOf(layout, indptr, indices) {
  const [pointers, positions] = [elementsOf(indptr), elementsOf(indices)];
  if (layout === 'csr') return { rowPtr: pointers, colIdx: positions };
  if (layout === 'csc') return { colPtr: pointers, rowIdx: positions };
  throw new SparlaneError('argument', `A.format: expected csr or csc, got ${layout}`);
}

/** Returns the elements of a view of one dimension, in their order. */
function elementsOf({ data, shape: [length], strides: [step], offset }) {
  return step === 1 ? data : data.constructor.from({ length }, (_, i) => data[offset + i * step]);
}

/** Returns elements as numbers, which 64-bit integers are not. */
const asNumbers = (data) => (/^Big/.test(data.constructor.name) ? Float64Array.from(data, Number) : data);

/** Copies a view of one or two dimensions into the memory of the engine. */
function vectorOf(engine, { data, shape, strides, offset, c_contiguous: isAdjacent }) {
  const numbers = asNumbers(data);
  if (isAdjacent) return engine.vector(numbers, { columns: shape[1] ?? 1 });
  return engine.vector({ data: numbers, shape, strides, offset });
}
