/** What a team computes: a task is a kernel over the parts of a matrix or a vector program, without operands. */
import type { OperandBlock } from '../kernels/operands.js';

export interface TeamTask {
  /** Index of the kernel in the module's list. */
  readonly kernel: number;
  readonly header: number;
  /**
   * parts + 1 ascending units, at most MAX_PARTS parts: part p is the range bounds[p] … bounds[p + 1] − 1. In the shared
   * memory if there are several parts, for members read them there.
   */
  readonly bounds: Uint32Array;
  /** Work of all parts, in entries (`formats/format.ts`). Default: enough to wake threads. */
  readonly work?: number | undefined;
  /** Threads that take part: the first ones of the team, the caller included. Default: all. */
  readonly workers?: number;
}

/** A task and its operands: x, y, α, β …, without a carry slot (`kernels/abi.ts`). */
export interface TaskStage {
  task: TeamTask;
  readonly operands: OperandBlock;
}

/** Of one command. Half a step of a solver has a vector program, a product of two stages at most or a triangular solve of six, and a program more. */
export const MAX_STAGES = 16;
