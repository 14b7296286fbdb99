/** Products of sparlane. An operator is kept as long as its matrix, since the engine's memory is not collected. */
const operators = new WeakMap();
const collected = new FinalizationRegistry((operator) => operator.dispose());

exports.multiplyByEngine = (engine, A, x) => {
  let operator = operators.get(A);
  if (operator === undefined) {
    operator = engine.operator(A);
    operators.set(A, operator);
    collected.register(A, operator);
  }
  const y = new Float64Array(A.rows);
  operator.apply(x, y);
  return y;
};
