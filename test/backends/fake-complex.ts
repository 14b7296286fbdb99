/** Complex products of a fake device, as the headers of `src/complex/kernels.ts` define them. */

/** `stride`: elements from one row of a block of vectors to the next; 1 for vectors. The parts of a number are in two rows. */
type Product = (x: Float64Array, y: Float64Array, alpha: number, beta: number, stride: number) => void;

/** y ← α z + β y */
function put(y: Float64Array, z: ArrayLike<number>, alpha: number, beta: number): void {
  for (let i = 0; i < z.length; i++) y[i] = beta === 0 ? alpha * z[i]! : alpha * z[i]! + beta * y[i]!;
}

export function complexProductOf(heap: ArrayBufferLike, header: number): Product {
  const [matrix = 0, valuesAt, conjugate] = new Uint32Array(heap, header, 3);
  const [rows = 0, , nnz = 0, , rowPtrAt, colIdxAt] = new Uint32Array(heap, matrix, 6);
  const rowPtr = new Uint32Array(heap, rowPtrAt, rows + 1).slice();
  const colIdx = new Uint32Array(heap, colIdxAt, nnz).slice();
  const values = new Float64Array(heap, valuesAt, 2 * nnz).slice();
  const sign = conjugate ? -1 : 1;
  return (x, y, alpha, beta, stride) => {
    const sums = new Float64Array(2 * rows * stride);
    for (let i = 0; i < rows; i++) {
      for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
        const [re, im] = [values[2 * k]!, sign * values[2 * k + 1]!];
        for (let column = 0; column < stride; column++) {
          const [at, j] = [2 * i * stride + column, 2 * colIdx[k]! * stride + column];
          sums[at]! += re * x[j]! - im * x[j + stride]!;
          sums[at + stride]! += re * x[j + stride]! + im * x[j]!;
        }
      }
    }
    put(y, sums, alpha, beta);
  };
}

export function complexUnaryOf(heap: ArrayBufferLike, header: number): Product {
  const [rows = 0, exchanges = 0, negatesReal, negatesImaginary] = new Uint32Array(heap, header, 4);
  return (x, y, alpha, beta) => {
    const mapped = Float64Array.from({ length: 2 * rows }, (_, i) => {
      const isNegated = i % 2 === 0 ? negatesReal : negatesImaginary;
      return (isNegated ? -1 : 1) * x[i ^ exchanges]!;
    });
    put(y, mapped, alpha, beta);
  };
}
