/** What the parameters of formats are, where they do not say it themselves: apart, since a page that multiplies needs no lists. */
import { DEVICE_SLICE_ROWS } from './components/description.js';
import { CPU_LANES } from './format.js';
import { DEVICE_LANES } from './pkt/description.js';

export const PARAMETER_DOCS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bsr: {
    blockSize: 'rows and columns of a block; 0: the size with the fewest bytes',
    maxRowBlocks: 'λ: block rows of more blocks are cut; 0: none is cut',
    maxFill: 'stored places per entry above which a matrix is refused',
  },
  components: {
    sliceRows: `rows whose pieces are listed together; on a device ${DEVICE_SLICE_ROWS}`,
  },
  csrk: {
    k: 'levels: 2 = super-rows, 3 = super-super-rows too',
    superRowSize:
      "rows per super-row; default: as measured by 'sparlane tune', or on a device (k = 3) by the row density",
    superSuperRowSize: 'super-rows per super-super-row (k = 3)',
    index: 'bits per column: 32, or 16 from a base per super-row',
  },
  dia: {
    values: 'full; table: chunks of 64 bytes of y with the same entries are stored once',
    maxFill: 'stored places per entry above which a matrix is refused',
  },
  panels: {
    sliceRows: 'rows whose tiles are computed together, by one thread; 0: by rows, columns and entries',
    panelCols: 'columns of a tile',
  },
  pkt: {
    packetRows: 'most rows per packet; packet sizes differ by at most one',
    lanes: `entries per step: ${CPU_LANES} for CPUs; on a device the threads of a block, ${DEVICE_LANES} unless given`,
  },
  sell: {
    chunkHeight: 'C: rows in a chunk',
    sortScope: 'σ: rows sorted by length together; 1: not sorted; 0: 256 if that saves much padding, else 1',
    widthMultiple: 'chunk widths are multiples of it (SELL-P)',
    hubs: 'cut: entries that make a chunk too wide are stored in COO; keep: no entry is',
  },
  sss: {
    blocks: 'blocks of rows, each with a halo; 0: 16, or 1 if the matrix is too small for threads',
    index: 'bits per column: 16, relative to the diagonal, if the bandwidth allows it; or 32',
    maxHalo: 'halo elements per entry above which a matrix is refused',
  },
};
