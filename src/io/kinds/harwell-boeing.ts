/** Harwell-Boeing and Rutherford-Boeing files. */
import { extensionOf, type FileKind } from './kind.js';
import { textOf } from './text.js';

/** Of Harwell-Boeing files: field, symmetry, assembled. */
const TYPE = /^[rpi][uszhr]a$/;

/** Whether lines may be the first four of such a file. Complex and elemental ones are recognized to be refused. */
function isHeader([, counts = '', type = '', formats = '']: readonly string[]): boolean {
  return /^[\s\d]+$/.test(counts) && /^[rcpiq][ushzr][ae]\s+\d+\s+\d+\s+\d+/i.test(type) && /^\s*\(/.test(formats);
}

export const harwellBoeing: FileKind = {
  name: 'harwell-boeing',
  summary: 'Harwell-Boeing and Rutherford-Boeing: real, integer, pattern',
  source: 'Duff, Grimes, Lewis 1992, TR/PA/92/86, and 1997, RAL-TR-97-031',
  extensions: ['rb', 'hb'],
  matches: (head, name) => {
    const text = textOf(head);
    const extension = extensionOf(name);
    if (text === undefined) return false;
    return isHeader(text.split(/\r?\n/)) || extension === 'rb' || extension === 'hb' || TYPE.test(extension);
  },
  read: async (file) => (await import('../harwell-boeing/harwell-boeing.js')).readHarwellBoeing(file),
  readBlock: async (file, columns) =>
    (await import('../harwell-boeing/harwell-boeing.js')).readHarwellBoeingVectors(file, columns),
};
