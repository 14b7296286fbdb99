/**
 * Input validation: bad input gives one SparlaneError that names the argument, before any kernel runs. Nothing stays
 * allocated, y is unchanged, and the engine remains usable. The cases are in `validation-cases.ts`.
 */
import { type ErrorCode, SparlaneError } from '../core/errors.js';
import type { Engine } from '../engine/engine.js';
import type { EngineOptions } from '../engine/start-engine.js';
import type { Vector } from '../memory/vector.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import { workedExample } from './matrices.js';

export type CreateEngine = (options?: EngineOptions) => Promise<Engine>;

/** Objects for the cases: an engine, an f64 operator over the worked example (4 × 3), and vectors that fit it. */
export interface Subject {
  readonly engine: Engine;
  readonly createEngine: CreateEngine;
  readonly operator: MatrixOperator;
  readonly x: Vector;
  readonly y: Vector;
}

export interface ValidationCase {
  readonly name: string;
  readonly code: ErrorCode;
  /** The begin of the error's text: the public name of the argument. */
  readonly argument: string;
  /** The misuse. Throws, or rejects. */
  readonly attempt: (subject: Subject) => unknown;
}

/** Describes the wrong response to a case; undefined if the response is right. */
export async function checkCase(
  engine: Engine,
  createEngine: CreateEngine,
  { code, argument, attempt }: ValidationCase,
): Promise<string | undefined> {
  using operator = engine.operator(workedExample());
  using x = engine.vector([1, 2, 3]);
  using y = engine.vector([5, 6, 7, 8]);
  const bytesBefore = engine.heap.bytesInUse;
  const error = await thrownBy(() => attempt({ engine, createEngine, operator, x, y }));
  const bytesKept = engine.heap.bytesInUse - bytesBefore;
  const fault = faultOf(error, code, argument);
  if (fault !== undefined) return fault;
  if (bytesKept !== 0) return `${bytesKept} bytes stay allocated`;
  if (y.data.join() !== '5,6,7,8') return `y has become ${y.data.join()}`;
  operator.apply(x, y);
  return y.data.join() === '70,0,90,320' ? undefined : `the next product gives ${y.data.join()}`;
}

async function thrownBy(attempt: () => unknown): Promise<unknown> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    return error;
  }
}

function faultOf(error: unknown, code: ErrorCode, argument: string): string | undefined {
  if (error === undefined) return 'nothing is thrown';
  if (!(error instanceof SparlaneError)) return `no SparlaneError is thrown: ${error}`;
  if (error.code !== code) return `the code is ${error.code}, not ${code}: ${error.message}`;
  const sentence = error.message.startsWith(`${argument}: expected `) && / got [^\n]+$/.test(error.message);
  return sentence ? undefined : `the text does not read '${argument}: expected …, got …': ${error.message}`;
}
