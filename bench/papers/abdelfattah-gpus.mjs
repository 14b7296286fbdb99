/** Abdelfattah et al., figure 20, and the reservoir on several GPUs: products with the copies of x and y, rows in blocks and cyclically, the faster of both. */
import { LAMBDA } from '../cuda/papers/plans.mjs';
import { RESERVOIR } from './abdelfattah.mjs';
import { bars } from './charts.mjs';
import { SEVERAL_GPUS } from './published.mjs';
import { above, asMuch, below, known, times } from './words.mjs';

const PAPER = 'abdelfattah-gpus';
const [EVEN, UNEVEN] = ['coater2', 'shermanACb'];

export function chapter(results) {
  const lines = results.of('scaling').filter(({ paper }) => paper === PAPER);
  if (lines.length === 0) return undefined;
  const counts = [...new Set(lines.map(({ gpus }) => gpus))].filter((gpus) => gpus > 1);
  return {
    title: 'Abdelfattah et al. 2016 on several GPUs',
    matrices: `${EVEN} and ${UNEVEN} in blocks of 2 to 32, and the reservoir; on ${counts.join(' and ')} GPUs of one machine. x and y are on the first GPU; the paper’s x is on all`,
    repeat: 'npx bench cuda/scaling --paper --out OUT.jsonl',
    claims: counts.flatMap((gpus) => claimsOf(lines, gpus)),
    charts: [figure(lines, counts)],
  };
}

/** How many times as fast as on one GPU, the faster of the two distributions. */
function gain(lines, gpus, matrix, isBalanced) {
  const own = known(
    lines
      .filter(
        (line) => line.gpus === gpus && line.matrix === matrix && line.format.includes('maxRowBlocks') === isBalanced,
      )
      .map(({ speedup }) => speedup),
  );
  return own.length === 0 ? undefined : Math.max(...own);
}

/** The sizes of blocks of a matrix, ascending. */
const sizesOf = (lines, base) =>
  [...new Set(lines.map(({ matrix }) => matrix))]
    .filter((matrix) => matrix.startsWith(`${base} b=`))
    .map((matrix) => Number(matrix.split('=')[1]))
    .sort((a, b) => a - b);

function claimsOf(lines, gpus) {
  const sizes = sizesOf(lines, EVEN);
  const [least, most] = [sizes[0], sizes.at(-1)];
  const of = (base, size, isBalanced) => gain(lines, gpus, `${base} b=${size}`, isBalanced);
  const small = of(EVEN, least, false);
  const large = of(EVEN, most, false);
  const cut = of(UNEVEN, most, true);
  const ofReservoir = gain(lines, gpus, RESERVOIR, false);
  return [
    {
      claim: `${gpus} GPUs: small blocks lose, ${EVEN} in blocks of ${least}`,
      method: 'bsr',
      figure: 'below 1 ×',
      here: times(small),
      verdict: below(small, 1, 1.1),
    },
    {
      claim: `${gpus} GPUs: large blocks gain, ${EVEN} in blocks of ${most}`,
      method: 'bsr',
      figure: 'the gain grows with the blocks',
      here: times(large),
      verdict: above(large, 1.2, 1.02),
    },
    {
      claim: `${gpus} GPUs: balanced rows gain, ${UNEVEN} in blocks of ${most}`,
      method: `bsr, λ = ${LAMBDA}`,
      figure: 'much better than not balanced',
      here: times(cut),
      verdict: above(cut, 1.2, 1.02),
    },
    {
      claim: `${gpus} GPUs: the reservoir`,
      method: 'bsr',
      figure: times(SEVERAL_GPUS[RESERVOIR][gpus]),
      here: times(ofReservoir),
      verdict: asMuch(SEVERAL_GPUS[RESERVOIR][gpus], ofReservoir),
    },
  ];
}

/** Draws figure 20. */
function figure(lines, counts) {
  const kinds = [
    ['not balanced', false],
    ['balanced', true],
  ];
  const series = counts.flatMap((gpus) => kinds.map(([name]) => `${gpus} GPUs, ${name}`));
  const rows = [EVEN, UNEVEN].flatMap((base) =>
    sizesOf(lines, base).flatMap((size) =>
      counts.flatMap((gpus) =>
        kinds.map(([name, isBalanced]) => ({
          group: `${base} b=${size}`,
          series: `${gpus} GPUs, ${name}`,
          value: gain(lines, gpus, `${base} b=${size}`, isBalanced),
        })),
      ),
    ),
  );
  const title = 'Figure 20: times as fast as on one GPU';
  const svg = bars({ label: title, rows, series, unit: 'times as fast', ruler: 1 });
  return { name: 'abdelfattah-20', title, svg };
}
