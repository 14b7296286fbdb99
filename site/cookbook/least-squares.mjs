import { CsrBuilder, createEngine, solve } from 'sparlane';

// A curve through 2000 noisy points: piecewise linear with 21 knots, min ‖y − A c‖. Each row has the two hat functions at its point.
const [points, knots] = [2000, 21];
const curve = (t) => Math.sin(2 * Math.PI * t);
let seed = 7;
function noise() {
  seed = (seed * 16807) % 2147483647;
  return 0.4 * (seed / 2147483647 - 0.5);
}
const rows = new CsrBuilder(points, knots);
const y = new Float64Array(points);
for (let i = 0; i < points; i++) {
  const t = i / (points - 1);
  const at = Math.min(t * (knots - 1), knots - 1 - 1e-9);
  const left = Math.floor(at);
  rows.addAll([i, i], [left, left + 1], [left + 1 - at, at - left]);
  y[i] = curve(t) + noise();
}
const engine = await createEngine();
const { x, converged, decision } = solve(engine, rows.build(), y, { rtol: 1e-10 });
const fit = x.toArray();
const error = Math.max(...fit.map((value, k) => Math.abs(value - curve(k / (knots - 1)))));
console.log(`${decision.method} converged: ${converged}`);
console.log(`at the knots the fit is within ${error.toFixed(2)} of the curve, the points within 0.20`);
