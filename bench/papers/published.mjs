/**
 * The figures that the five papers print as numbers, each with its place in the paper: in tables, or in the text where a figure shows bars alone.
 */

export const MACHINES = {
  'bell-garland': 'GeForce GTX 280 (2008)',
  jindal: 'a GPU that is not named (about 2016)',
  flegar: 'Tesla P100 (2017)',
  'lane-booth': 'A100 (2022)',
  abdelfattah: 'Tesla K40c (2016)',
};

/** Bell & Garland 2008: GFLOP/s, and ratios, of §5.1 to §5.3. */
export const BELL_GARLAND = {
  /** GFLOP/s of DIA on Laplace 27pt (§5.1.1 and §5.1.2). */
  dia27: { f32: { bypass: 23.5, texture: 36.8 }, f64: { texture: 16.7 } },
  /** Shares of the peak of 141.7 GB/s, without cache (§5.1.1). */
  ofPeak: { dia: 0.76, ell: 0.81 },
  /** f64 over f32 on the structured matrices (§5.1.2), and the medians of the others (§5.2.2). */
  doubles: { dia: 0.442, ell: 0.572, 'csr-scalar': 0.899 },
  doubleMedians: { hyb: 0.62, 'csr-vector': 0.554, 'csr-scalar': 0.921 },
  /** GFLOP/s over entries of a row, least and most (§5.1.1). */
  vectorPerEntry: [0.3285, 0.3367],
  /** GFLOP/s in f32, and the gain of HYB by the cache (§5.2.1). */
  hybSpheres: 22.3,
  hyb30k: 30.83,
  vectorShortRows: { Epidemiology: 1.3, Webbase: 1.0 },
  cacheGain: 1.3,
  /** GFLOP/s in f64 (§5.2.2). */
  f64: { 'csr-vector Dense': 14.2, 'hyb Wind Tunnel': 13.9, 'hyb QCD': 12.6 },
  cooRange: [2.9, 4.0],
  /** The GPU's better kernel over a machine's cores, medians (§5.3): one and two sockets. */
  overCores: { Cell: 2.47, Opteron: 10.32, Xeon: 10.85, Niagara: 2.79 },
};

/** Bell & Garland 2008, Table 1: the bytes per operation of each kernel, in f32 and f64. */
export const BYTES_PER_FLOP = {
  dia: { f32: 4, f64: 8 },
  ell: { f32: 6, f64: 10 },
  'csr-scalar': { f32: 6, f64: 10 },
  'csr-vector': { f32: 6, f64: 10 },
  coo: { f32: 8, f64: 12 },
  hyb: { f32: 6, f64: 10 },
  pkt: { f32: 4, f64: 6 },
};

const jindal = (text) =>
  new Map(
    text
      .trim()
      .split('\n')
      .map((line) => {
        const [name, ...us] = line.trim().split(/\s+/);
        return [name, us.map(Number)];
      }),
  );

/** Jindal: µs by matrix, in 512 × 32, 512 × 64, 512 × 128 and 256 × 256, of §1.2 (two tables), §2.2 and §3. */
export const JINDAL = {
  column: jindal(`
    cant 5671 3157 1943 1947
    circuit5M_dc 57576 31013 19828 19972
    consph 8429 4658 2788 2792
    FullChip 84050 45038 30778 30223
    mac_econ_fwd500 4359 2460 1626 1628
    mc2depi 5950 3403 2211 2186
    pdb1HYS 5827 3208 1979 1977
    pwtk 15454 8372 4989 4633
    rail4284 41953 21988 13969 13977
    rma10 6358 3570 2187 2149
    scircuit 3342 1925 1268 1304
    shipsec1 10865 5976 3553 3544
    turon_m 3068 1758 1188 1173
    watson_2 6229 3460 2201 2201
    webbase-1M 9059 5034 3436 3337`),
  row: jindal(`
    cant 8374 5261 3460 3489
    circuit5M_dc 58296 31415 22002 21673
    consph 12487 7463 5519 5568
    FullChip 92975 55211 39613 39985
    mac_econ_fwd500 4635 2641 2110 2150
    mc2depi 6100 3449 2250 2276
    pdb1HYS 9200 5434 3815 3849
    pwtk 22847 13217 8609 8546
    rail4284 52955 29222 23260 23199
    rma10 9926 6131 4181 4256
    scircuit 3371 1942 1489 1491
    shipsec1 15512 8853 6414 6384
    turon_m 2872 1653 1128 1142
    watson_2 6779 3724 2790 2834
    webbase-1M 10218 5657 4016 4095`),
  scan: jindal(`
    cant 25610 13303 7434 6552
    circuit5M_dc 235873 121671 67033 57354
    consph 38248 19870 10984 9646
    FullChip 331033 170569 94222 81451
    mac_econ_fwd500 16052 8470 4892 4433
    mc2depi 24918 13062 7104 6148
    pdb1HYS 27515 14327 7912 6906
    pwtk 74083 38308 20890 17946
    rail4284 145550 75699 42468 37225
    rma10 29814 15449 8598 7507
    scircuit 12107 6443 3759 3270
    shipsec1 49795 25807 14174 12281
    turon_m 11246 6024 3413 2938
    watson_2 22667 12041 6847 6146
    webbase-1M 37539 19749 11097 9630`),
  reordered: jindal(`
    cant 25574 13076 6875 6013
    circuit5M_dc 232508 117829 63219 53002
    consph 38353 19576 10531 8968
    FullChip 332302 168586 90453 76998
    mac_econ_fwd500 15993 8278 4619 4084
    mc2depi 25513 13050 7078 5895
    pdb1HYS 27849 14218 7675 6511
    pwtk 72812 36983 19703 16303
    rail4284 152646 77544 42066 36128
    rma10 30136 15390 8291 7009
    scircuit 12087 6265 3512 3064
    shipsec1 49378 25178 13467 11311
    turon_m 11132 5774 3240 2774
    watson_2 22859 11771 6515 5638
    webbase-1M 38332 19634 10633 9061`),
};

/** Flegar & Anzt 2017, Table 1: GFLOP/s on the 248 matrices of more than 2 · 10⁵ entries: least, most, mean, median, deviation. */
export const FLEGAR = {
  COO: [24.29, 64.32, 38.86, 37.24, 9.16],
  CSR: [0.07, 87.43, 32.77, 30.43, 20.07],
  CSR5: [9.66, 75.56, 31.79, 27.15, 15.58],
  CSRI: [13.47, 81.21, 31.85, 26.84, 14.44],
  HYB: [6.64, 82.43, 27.98, 18.74, 20.22],
  SELLP: [0.06, 82.62, 36.42, 38.64, 22.46],
};

/** Lane & Booth 2022, §7, on Ampere: means of GFLOP/s. */
export const LANE_BOOTH = {
  regular: { 'CSR-3': 187.3, CSR5: 169.5, cuSPARSE: 153.3 },
  irregular: { 'CSR-3': 76.1, CSR5: 168.8, cuSPARSE: 169.9 },
};

/** Lane & Booth 2022, §6, on CPUs: means of GFLOP/s of 40 cores of an Ice Lake and 64 of a Rome; over MKL's on one core with 16 (figure 5). */
export const LANE_BOOTH_CORES = {
  regular: { 'Ice Lake': { 'CSR-2': 44.1, 'CSR-3': 38.5, CSR5: 35.3 }, Rome: { 'CSR-2': 73.1, CSR5: 37.2 } },
  irregular: { 'Ice Lake': { 'CSR-2': 32.2, CSR5: 28.8 }, Rome: { 'CSR-2': 36.5, CSR5: 22.1 } },
  at16: [8, 12],
};

/** Abdelfattah et al. 2016, Table III: how many times as fast as the other library. Those of rajat22 and shermanACb are of the balanced kernel (§6.3). */
export const ABDELFATTAH = {
  airfoil_2d: { BSR: 3.17, HYB: 1.77, SELLP: 1.55 },
  bauru5727: { BSR: 3.54, HYB: 2.31, SELLP: 1.61 },
  cage10: { BSR: 3.23, HYB: 1.93, SELLP: 1.54 },
  cavity21: { BSR: 3.09, HYB: 2.48, SELLP: 1.54 },
  coater2: { BSR: 3.16, HYB: 2.44, SELLP: 1.55 },
  hvdc1: { BSR: 3.45, HYB: 1.92, SELLP: 1.55 },
  lhr07: { BSR: 3.16, HYB: 23.13, SELLP: 2.05 },
  rajat22: { BSR: 8.86, HYB: 2.26, SELLP: 3.11 },
  shermanACb: { BSR: 30.25, HYB: 2.38, SELLP: 10.5 },
  /** The reservoir (§6.4). */
  spe5Ref_dpdp: { BSR: 2.4, HYB: 1.13, SELLP: 1.27 },
};

/** Abdelfattah et al. 2016, §6.3: the balanced kernel over the other one, at most. */
export const BALANCED = { rajat22: 6.18, shermanACb: 15 };

/** Abdelfattah et al., §6.4: how many times as fast the reservoir is on 2 and 3 GPUs. */
export const SEVERAL_GPUS = { spe5Ref_dpdp: { 2: 1.93, 3: 2.83 } };
