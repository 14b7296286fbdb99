/** The conversions to all formats, each loaded when it is first needed; that to `csr` is always here. */
import { mismatch } from '../core/errors.js';
import { NotLoaded } from '../core/not-loaded.js';
import { csr } from './csr/csr.js';
import type { Format } from './format.js';
import { FORMAT_NAMES } from './names.js';
import { type StoreMatrix, storeBy } from './store.js';

const loadCoo = async () => [(await import('./coo/coo.js')).coo];

/** Formats that are loaded together by the name of each: hub rows of `sell` and `hyb`, and the rest of `pkt`, are stored as `coo`. */
const LOADS: Readonly<Record<string, () => Promise<readonly Format[]>>> = {
  csrk: async () => [(await import('./csrk/csrk.js')).csrk],
  coo: loadCoo,
  components: async () => [(await import('./components/components.js')).components],
  csr5: async () => [(await import('./csr5/csr5.js')).csr5],
  ell: async () => [(await import('./sell/ell.js')).ell, ...(await loadCoo())],
  sell: async () => [(await import('./sell/sell.js')).sell, ...(await loadCoo())],
  hyb: async () => [(await import('./sell/hyb.js')).hyb, ...(await loadCoo())],
  dia: async () => [(await import('./dia/dia.js')).dia],
  sss: async () => [(await import('./sss/sss.js')).sss],
  bsr: async () => [(await import('./bsr/bsr.js')).bsr],
  inode: async () => [(await import('./inode/inode.js')).inode],
  panels: async () => [(await import('./panels/panels.js')).panels],
  pkt: async () => [(await import('./pkt/pkt.js')).pkt, ...(await loadCoo())],
};

export class FormatsOnDemand {
  readonly #loaded = new Map<string, Format>([[csr.name, csr]]);

  /** As `storeMatrix`. @throws NotLoaded for a format that is not here yet */
  readonly store: StoreMatrix = storeBy((name) => {
    const format = this.#loaded.get(name);
    if (format !== undefined) return format;
    if (Object.hasOwn(LOADS, name)) throw new NotLoaded(`format ${name}`, () => this.#load(name));
    throw mismatch('argument', 'format', FORMAT_NAMES.join(' | '), name);
  });

  async loadAll(): Promise<void> {
    await Promise.all(Object.keys(LOADS).map((name) => this.#load(name)));
  }

  async #load(name: string): Promise<void> {
    for (const format of await LOADS[name]!()) this.#loaded.set(format.name, format);
  }
}
