/** A fake for the benchmark of the GPU: right products with prescribed times. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CsrMatrix } from '#dist/core/csr.js';
import type { FloatArray } from '#dist/core/types.js';

/**
 * An engine whose products are computed here, wrong in the format `ell`, refused in `dia`. A product takes 2 µs, a cold
 * one 3, times the number given for a format.
 */
export function fakeEngine(matrix: CsrMatrix, slowdowns: Readonly<Record<string, number>> = {}) {
  /** Of the last product. */
  let slowdown = 1;
  const time = (queue: () => void, repetitions: number, cold: boolean) => {
    queue();
    return new Float64Array(repetitions).fill((cold ? 0.003 : 0.002) * slowdown);
  };
  return {
    gpus: [{ methodsOf: () => [{ name: 'vector' }, { name: 'scalar' }], space: { time } }],
    vector: (source: number | FloatArray) => {
      const data = typeof source === 'number' ? new Float64Array(source) : source;
      return { data, fill: (value: number) => data.fill(value), toArray: () => data };
    },
    operator: (_: CsrMatrix, { format, method = 'vector' }: { format: string; method?: string }) => {
      if (format === 'dia') throw new Error('not for this one');
      return {
        matrix: {
          spec: format,
          stages: { spmv: [{ kernel: { base: 'csr', verb: 'spmv' } }] },
          cost: () => ({ bytes: 6000 }),
        },
        ...{ setupMs: 1, plan: { methods: [`${method}?width=8`], setupMs: 1, setupBytes: 0 } },
        apply: (x: { data: FloatArray }, y: { data: FloatArray }) => {
          slowdown = slowdowns[format] ?? 1;
          multiply(matrix, x.data, y.data);
          if (format === 'ell') y.data[2] = 0;
        },
        dispose: () => {},
      };
    },
  };
}

function multiply({ rows, rowPtr, colIdx, values }: CsrMatrix, x: FloatArray, y: FloatArray): void {
  for (let i = 0; i < rows; i++) {
    y[i] = 0;
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) y[i]! += values[k]! * x[colIdx[k]!]!;
  }
}

const PEER = fileURLToPath(new URL('./fixtures/cusparse.mjs', import.meta.url));

/** Programs `cusparse-f64` and `cusparse-f32` in a folder. */
export function writeFakeCusparse(folder: string): void {
  for (const dtype of ['f64', 'f32']) {
    const program = `#!/bin/sh\nexec '${process.execPath}' '${PEER}' ${dtype} "$@"\n`;
    writeFileSync(join(folder, `cusparse-${dtype}`), program, { mode: 0o755 });
  }
}
