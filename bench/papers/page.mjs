/** The part of the papers' page that is made from a record: for each paper its claims in a table, its tables, and its charts. */
import { chapter as abdelfattah } from './abdelfattah.mjs';
import { chapter as abdelfattahOnGpus } from './abdelfattah-gpus.mjs';
import { chapter as bellGarland } from './bell-garland.mjs';
import { chapter as flegar } from './flegar.mjs';
import { chapter as jindal } from './jindal.mjs';
import { chapter as laneBooth } from './lane-booth.mjs';
import { chapter as laneBoothOnCores } from './lane-booth-cores.mjs';
import { chapter as programs } from './programs.mjs';
import { MACHINES } from './published.mjs';
import { chapter as suitesOnCores } from './suites-on-cores.mjs';

const CHAPTERS = {
  'bell-garland': bellGarland,
  'lane-booth': laneBooth,
  'lane-booth-cores': laneBoothOnCores,
  abdelfattah,
  'abdelfattah-gpus': abdelfattahOnGpus,
  flegar,
  jindal,
  lp: programs,
  'suites-on-cores': suitesOnCores,
};

const INTRODUCTION = `## Their own experiments, at full size

Each paper’s tables and figures again: its kernels, as printed where it prints them, with its launch shapes, orders and sizes, on matrices as large as
its own, beside cuSPARSE. Every product was verified, then timed by the device’s clock, median of 30, L2 empty before each: the papers timed one product after
the other, on GPUs whose caches were far smaller than their matrices, which many of these now fit into. A claim of a gain **holds** if
at least half of it is here (in logarithms), **partly** if a part is; a claim about each matrix holds if it is true of all, partly if of half; one that says
“mostly”, if of more than 60 %. Stand-ins have a matrix’s figures, not its entries ([Method](/docs/benchmarks#method)). Absolute speeds have no verdict.`;

const HEADER = ['claim', 'method', 'the paper', 'here', 'verdict'];

/** Returns Markdown, and the charts by name. `folder`: where the page finds them. */
export function papersPage(results, folder) {
  const charts = new Map();
  const lines = [];
  for (const [name, make] of Object.entries(CHAPTERS)) {
    const chapter = make(results);
    if (chapter === undefined) continue;
    for (const chart of chapter.charts ?? []) if (chart.svg !== undefined) charts.set(chart.name, chart.svg);
    lines.push(...chapterLines(name, chapter, results, folder));
  }
  return { text: [INTRODUCTION, '', ...lines].join('\n'), charts };
}

function chapterLines(name, { title, matrices, repeat, claims, tables = [], charts = [] }, results, folder) {
  const about = [matrices, results.runsOf(name)].filter(Boolean).join('. ');
  const old = MACHINES[name] === undefined ? '' : ` The paper’s machine: ${MACHINES[name]}.`;
  const failures = results.failures(name).length;
  const failed = failures === 0 ? '' : ` ${failures} products failed, and are missing below.`;
  const shown = charts.filter(({ svg }) => svg !== undefined);
  return [
    `### ${title}`,
    '',
    repeat === undefined
      ? `${about}.${old}${failed} Repeat: \`bench/cuda/papers-on-gpu-machine OUT 570 ${name}\`, then \`npx bench papers OUT\`.`
      : `${about}. Repeat: \`${repeat}\`, then \`npx bench papers OUT.jsonl\`.`,
    '',
    ...(claims.length === 0
      ? []
      : [
          ...markdown(
            HEADER,
            claims.map(({ claim, method, figure, here, verdict }) => [
              claim,
              method,
              figure,
              here,
              verdict === undefined ? '' : `**${verdict}**`,
            ]),
          ),
          '',
        ]),
    ...tables.flatMap((table) => [`${table.title}:`, '', ...markdown(table.header, table.rows), '']),
    ...shown.flatMap((chart) => [
      '<details>',
      `<summary>${chart.title}</summary>`,
      '',
      `![${chart.title}](${folder}/${chart.name}.svg)`,
      '',
      '</details>',
      '',
    ]),
  ];
}

function markdown(header, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)];
}
