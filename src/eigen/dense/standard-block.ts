/**
 * The standard form of a 2 × 2 diagonal block of a Schur form: two real eigenvalues on the diagonal above a zero, or equal diagonal elements
 * between elements of opposite sign, which have a complex pair.
 *
 * Source: Bai & Demmel 1993, section 3; the choice of the rotations as in LAPACK's dlanv2.
 */
import { type Turn, turnColumns, turnRows } from './reflector.js';

/** A discriminant beside the squares of which it is the difference. A smaller one may come from rounding errors; then both forms are tried, as in dlanv2. */
const ALMOST_REAL = 4 * Number.EPSILON;

/** T ← G T Gᵀ and Z ← Z Gᵀ, so that the block in rows `at` and `at` + 1 of the quasi-triangular T has the standard form. */
export function standardize(t: Float64Array, z: Float64Array, size: number, at: number): void {
  const place = at * size + at;
  const [a, b, c, d] = [t[place]!, t[place + 1]!, t[place + size]!, t[place + size + 1]!];
  if (c === 0) return;
  const turn = turnFor(a, b, c, d);
  turnRows(t, size, at, turn, at, size);
  turnColumns(t, size, at, turn, 0, at + 2);
  turnColumns(z, size, at, turn, 0, size);
  if (turn.isReal) t[place + size] = 0;
  else {
    const mean = 0.5 * t[place]! + 0.5 * t[place + size + 1]!;
    t[place] = mean;
    t[place + size + 1] = mean;
    makeReal(t, z, size, at);
  }
}

/** A second rotation where that to equal diagonal elements has left elements beside them of the same sign, by rounding errors. */
function makeReal(t: Float64Array, z: Float64Array, size: number, at: number): void {
  const place = at * size + at;
  const [b, c] = [t[place + 1]!, t[place + size]!];
  if (c !== 0 && Math.sign(b) * Math.sign(c) < 0) return;
  if (c !== 0) {
    // With p twice on the diagonal, (√|b|, √|c|) is an eigenvector.
    const [root, side] = [Math.sqrt(Math.abs(b)), Math.sqrt(Math.abs(c))];
    const length = Math.hypot(root, side);
    const turn = { cosine: root / length, sine: side / length };
    turnRows(t, size, at, turn, at, size);
    turnColumns(t, size, at, turn, 0, at + 2);
    turnColumns(z, size, at, turn, 0, size);
  }
  t[place + size] = 0;
}

function turnFor(a: number, b: number, c: number, d: number): Turn & { readonly isReal: boolean } {
  if (b === 0) return { cosine: 0, sine: 1, isReal: true };
  if (a === d && Math.sign(b) !== Math.sign(c)) return { cosine: 1, sine: 0, isReal: false };
  const p = 0.5 * (a - d);
  const [most, least] = [Math.max(Math.abs(b), Math.abs(c)), Math.min(Math.abs(b), Math.abs(c))];
  const signs = Math.sign(b) * Math.sign(c);
  const scale = Math.max(Math.abs(p), most);
  // (p² + b c) / scale
  const discriminant = (p / scale) * p + (most / scale) * least * signs;
  if (discriminant >= ALMOST_REAL * scale) {
    // Real eigenvalues, d + λ and another; λ is the one away from cancellation.
    const lambda = p + Math.sign(p || 1) * Math.sqrt(scale) * Math.sqrt(discriminant);
    const length = Math.hypot(c, lambda);
    return { cosine: lambda / length, sine: c / length, isReal: true };
  }
  // A complex pair, or almost equal real ones: the diagonal elements become equal.
  const sum = b + c;
  const length = Math.hypot(sum, a - d);
  const cosine = Math.sqrt(0.5 * (1 + Math.abs(sum) / length));
  const sine = -(p / (length * cosine)) * Math.sign(sum || 1);
  return { cosine, sine, isReal: false };
}
