/** Multiplies a matrix of the gallery, or of a file, by a vector of ones, and prints the speed. */
import { createAsyncEngine, type MatrixSource } from 'sparlane/async';

const form = document.querySelector('form')!;
const output = document.querySelector('pre')!;

const print = (line: string) => output.append(`${line}\n`);

const engine = await createAsyncEngine({ onHint: ({ message }) => print(`Hint: ${message}`) });
print(`Ready: ${engine.threads} threads, ${engine.binary} kernels.`);

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  try {
    await multiply(chosenMatrix());
  } catch (error) {
    print(String(error));
  }
});

function chosenMatrix(): MatrixSource {
  const fields = new FormData(form);
  const file = fields.get('file') as File;
  return file.size > 0 ? { file } : { gallery: String(fields.get('gallery')) };
}

async function multiply(matrix: MatrixSource): Promise<void> {
  const A = await engine.operator(matrix);
  print(`${A.rows} × ${A.cols}, ${A.nnz} entries, ready after ${A.setupMs.toFixed(0)} ms.`);
  const x = await engine.vector(A.cols);
  const y = await engine.vector(A.rows);
  x.data.fill(1);
  await A.apply(x, y);
  print(`Sum of y: ${y.data.reduce((sum, value) => sum + value, 0)}.`);
  const { medianMs, gflops, gbps, ranks } = await A.time();
  print(`${medianMs.toFixed(3)} ms, ${gflops.toFixed(2)} GFLOP/s, ${gbps.toFixed(1)} GB/s, ${ranks.length} threads.`);
  x.dispose();
  y.dispose();
  A.dispose();
}
