/**
 * Jindal, "Sparse Matrix-Vector Multiplication on GPU": the fifteen matrices of his tables of times, which have names
 * only. All figures are the SuiteSparse collection's.
 */
import { markovChain } from './bell-garland.mjs';
import { standInEntry } from './entries.mjs';

const row = (name) => standInEntry({ name, file: name });

export const FIFTEEN = {
  title: 'Jindal: fifteen matrices',
  source: 'Jindal, tables of times of sections 1.2, 2.2 and 3',
  entries: [
    row('cant'),
    row('circuit5M_dc'),
    row('consph'),
    row('FullChip'),
    row('mac_econ_fwd500'),
    markovChain('mc2depi', {}),
    row('pdb1HYS'),
    row('pwtk'),
    row('rail4284'),
    row('rma10'),
    row('scircuit'),
    row('shipsec1'),
    row('turon_m'),
    row('watson_2'),
    row('webbase-1M'),
  ],
};
