/** The names of all formats, without their code. The order is that of `registry.ts`. */
export const FORMAT_NAMES: readonly string[] = [
  'csr',
  'csrk',
  'coo',
  'components',
  'csr5',
  'ell',
  'sell',
  'hyb',
  'dia',
  'sss',
  'bsr',
  'inode',
  'pkt',
  'panels',
];
