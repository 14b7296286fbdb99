/** The results of a bench as a page: the tables of the terminal, with a bar of the speed of each product. */
import { listOf, pageOf, paragraphOf, sheetOf, tableOf } from '../pictures/sheet.js';
import type { BenchLine } from './bench-group.js';
import { type BenchGroup, benchGroups } from './bench-table.js';
import type { Computer } from './product.js';

/** @param computer one line about the machine, at the end */
export function benchPage(lines: readonly BenchLine[], device: Computer['device'], computer: string): string {
  const sections = benchGroups(lines, device).map(sectionOf);
  return pageOf('sparlane bench', 'auto', [...sections, sheetOf(CLASS, 'auto', '', [paragraphOf(computer)])].join(''));
}

const CLASS = 'sparlane-bench';

/** The fastest product is marked: of those that are as fast, the first one. */
function sectionOf({ title, heads, timed, rows, failures }: BenchGroup): string {
  const speeds = timed.map(({ gflops }) => gflops);
  const best = Math.max(...speeds);
  const table = {
    caption: 'Timed in turn. Bars: GFLOP/s, of those of the fastest product.',
    heads: [...heads, 'speed'],
    rows: rows.map((cells, k) => ({ cells, share: speeds[k]! / best, isMarked: k === speeds.indexOf(best) })),
  };
  const contents = [
    ...(rows.length === 0 ? [] : [tableOf('Products', table)]),
    ...(failures.length === 0 ? [] : [listOf(failures)]),
  ];
  return sheetOf(CLASS, 'auto', title, contents);
}
