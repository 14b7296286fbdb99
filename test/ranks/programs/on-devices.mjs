/** Ranks on devices that are none (`../devices/`). `data`: as of `conform.mjs`. The search of the URL: `?apart`, devices that do not reach each other. */
import { register } from 'node:module';
import { checkRankProducts, checkRankVectors } from '#dist/conformance/rank-checks.js';
import { checkRankSolvers } from '#dist/conformance/rank-solver-checks.js';
import { createEngine } from '#dist/index.node.js';

process.env.DEVICES_ARE_LINKED = import.meta.url.endsWith('?apart') ? 'no' : 'yes';
register('../devices/hooks.mjs', import.meta.url);

export async function main(comm, { check }) {
  const { space } = comm;
  const about = { space: space.name, hasPeers: space.hasPeers, place: space.place };
  const alone = check === 'solvers' ? await createEngine({ threads: 1 }) : undefined;
  const findings =
    check === 'products'
      ? checkRankProducts(comm, ['csr'])
      : check === 'vectors'
        ? checkRankVectors(comm)
        : checkRankSolvers(comm, alone, true);
  await alone?.dispose();
  const { checks, failed, refused, failures } = findings;
  return { ...about, checks, failed, refused, failures: failures.slice(0, 8) };
}
