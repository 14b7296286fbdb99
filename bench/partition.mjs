/**
 * Parts of graphs for ranks beside those of METIS_PartGraphKway, in turn on one thread: edge cut, halo (elements of x that all ranks get for a product), and time.
 * The vertices are weighted by their entries. Both begin with the graph; the time of `partition`, which makes it first, is printed, too.
 *
 * usage: npx bench partition [--parts 4,16,64] [--rounds 3] [matrix …]     (after `npm run build`)
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadMatrix } from '../dist/cli/load.js';
import { partition, workOfNodes } from '../dist/ranks/partition.js';
import { symmetricGraph } from '../dist/reorder/graph.js';
import { partsOfGraph } from '../dist/reorder/graph-parts.js';
import { print } from './contenders.mjs';
import { measuresOf } from './parts.mjs';
import { compile, temporaryFolder } from './peers/compile.mjs';
import { writeMatrixFile, writeVectorFile } from './peers/matrix-file.mjs';
import { METIS } from './peers/native.mjs';
import { median, takeTurns, time } from './times.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { parts: { type: 'string', default: '4,16,64' }, rounds: { type: 'string', default: '3' } },
});

const MATRICES = [
  'gallery:delaunay?n=200000',
  'gallery:laplace3d27?nx=50&ny=50&nz=50',
  'gallery:laplace2d5?nx=450&ny=450',
  'gallery:road?nx=450&ny=450',
  'gallery:rmat?scale=16',
];

const { program, missing } = compile(METIS, 'f64');
if (missing) throw new Error(`METIS: ${missing}`);
const [graphFile, weightFile, partFile] = ['graph', 'weights', 'parts'].map((name) => join(temporaryFolder(), name));

print(
  'matrix, parts: edge cut, halo, heaviest part over the mean, ms; ours, METIS, ratio of cut, halo, time; ms of partition',
);
for (const source of positionals.length > 0 ? positionals : MATRICES) {
  const matrix = await loadMatrix(source);
  const graph = symmetricGraph(matrix);
  const weights = workOfNodes(matrix, 1);
  const { vertices: rows, edgePtr: rowPtr, neighbours: colIdx } = graph;
  writeMatrixFile(
    { rows, cols: rows, nnz: colIdx.length, rowPtr, colIdx, values: new Float64Array(colIdx.length) },
    graphFile,
  );
  writeVectorFile(weights, weightFile);
  for (const parts of flags.parts.split(',').map(Number)) {
    let [own, theirs] = [];
    const times = { own: [], theirs: [], partition: [] };
    const contenders = [
      {
        turn() {
          times.own.push(
            time(() => {
              own = partsOfGraph(graph, weights, parts);
            }),
          );
        },
      },
      {
        turn() {
          times.theirs.push(
            Number(execFileSync(program, [graphFile, weightFile, parts, 1, partFile], { encoding: 'utf8' })),
          );
          theirs = new Int32Array(Uint8Array.from(readFileSync(partFile)).buffer);
        },
      },
      { turn: () => times.partition.push(time(() => partition(matrix, parts))) },
    ];
    await takeTurns(contenders, Number(flags.rounds));
    const ours = { ...measuresOf(matrix, graph, weights, own, parts), ms: median(times.own) };
    const metis = { ...measuresOf(matrix, graph, weights, theirs, parts), ms: median(times.theirs) };
    const ratios = ['cut', 'halo', 'ms'].map((name) => (ours[name] / metis[name]).toFixed(2)).join(' ');
    print(`${source}, ${parts}: ${line(ours)}; ${line(metis)}; ${ratios}; ${median(times.partition).toFixed(0)}`);
  }
}

function line({ cut, halo, heaviest, ms }) {
  return `${cut} ${halo} ${heaviest.toFixed(3)} ${ms.toFixed(0)}`;
}
