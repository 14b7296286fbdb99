/** The record of the papers' experiments (`bench/cuda/papers.mjs`), with queries for times. */
import { group } from 'd3-array';
import { CASES } from '../cuda/papers/cases.mjs';
import { readLines } from '../results-file.mjs';

/** @param paths as of `readLines` */
export function readPapers(paths) {
  return new PaperResults(readLines(paths));
}

export class PaperResults {
  #lines;

  /** Numbers the runs: each begins with the line of its machine. */
  constructor(lines) {
    let run = 0;
    this.#lines = lines.map((line) => {
      if (line.kind === 'machine') run++;
      return { ...line, run };
    });
  }

  of(kind) {
    return this.#lines.filter((line) => line.kind === kind);
  }

  /** The device, driver, date and commit of each run of a paper's experiments, as text. */
  runsOf(paper) {
    const runs = this.of('machine').filter((line) => line.paper === paper);
    const texts = runs.map(
      ({ device, driver, date, commit }) => `${device}, driver ${driver}, ${date.slice(0, 10)}, commit ${commit}`,
    );
    return [...new Set(texts)].join('; ');
  }

  /**
   * Returns what `bench run` measured of a suite on each kind of CPU: { machine, commits, matrices, products }, with warm caches. Of runs on the same
   * kind the last one counts for a matrix, a contender and a number of threads. `order`: of the matrices, undefined for their own.
   */
  onCores(suite, dtype = 'f64', order) {
    const isIt = (line) => line.suite === suite && line.paper === undefined && line.order === order;
    const all = this.of('product').filter((line) => isIt(line) && line.dtype === dtype && line.cache !== 'cold');
    const byRun = group(all, ({ run }) => run);
    const runs = this.of('machine').filter(({ run, cores }) => cores !== undefined && byRun.has(run));
    return [...group(runs, ({ cpu, cores }) => `${cpu} ${cores}`).values()].map((same) => {
      const lines = (kind) => this.of(kind).filter((line) => isIt(line) && same.some(({ run }) => run === line.run));
      const products = same.flatMap(({ run }) => byRun.get(run));
      return {
        machine: same.at(-1),
        commits: [...new Set(same.map(({ date, commit }) => `${date.slice(0, 10)}, commit ${commit}`))],
        matrices: lastOf(lines('matrix'), ({ matrix }) => matrix),
        products: lastOf(products, ({ matrix, contender, threads }) => `${matrix}|${contender}|${threads}`),
      };
    });
  }

  /** The GB/s that the device reads from memory at most; undefined if not measured. */
  get readGbps() {
    const [limits] = this.of('limits');
    return limits && Math.max(...Object.values(limits.readGbps));
  }

  /** The measured matrices of a paper, in the paper’s order: { matrix, nnz, suite, …, us(…), gflops(…) }. */
  cases(paper, suite) {
    const isIt = (line) => line.paper === paper && (suite === undefined || line.suite === suite);
    const products = group(this.of('product').filter(isIt), keyOf);
    const matrices = new Map(
      this.of('matrix')
        .filter(isIt)
        .map((line) => [keyOf(line), line]),
    );
    return CASES[paper]().flatMap(({ suite, name }) => {
      const key = keyOf({ suite, matrix: name });
      return products.has(key) ? [new Case(matrices.get(key), products.get(key))] : [];
    });
  }

  /** Errors that are neither refusals nor about methods that a layout, or its second stage, does not have. */
  failures(paper) {
    const isFailure = ({ isRefusal, error }) => !isRefusal && !error.startsWith('method: expected');
    return this.of('failed').filter((line) => line.paper === paper && isFailure(line));
  }
}

/** The last of the lines that have the same key, in the order of the first ones. */
const lastOf = (lines, key) => [...new Map(lines.map((line) => [key(line), line])).values()];

const keyOf = ({ suite, matrix }) => `${suite} ${matrix}`;

class Case {
  #products;

  constructor(line, products) {
    Object.assign(this, line);
    this.#products = new Map();
    for (const one of products) this.#products.set(productKey(one), one);
  }

  /** Returns microseconds, L2 cold; undefined if it was not measured. Of several products it is the least. */
  us(dtype, library, requested, order = 'natural') {
    const all = [requested]
      .flat()
      .map((one) => this.#products.get(productKey({ dtype, library, requested: one, order })));
    const times = all.flatMap((line) => line?.coldUs ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  gflops(...product) {
    const us = this.us(...product);
    return us === undefined ? undefined : (2 * this.nnz) / us / 1e3;
  }
}

const productKey = ({ dtype, library, requested, order }) => `${dtype}|${library}|${requested}|${order}`;
