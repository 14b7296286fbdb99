/**
 * The constants of the cost model, written by `bench/fit.mjs` from the times of 372 matrices (`bench/kinds`, even seeds), f64 and
 * f32, 1, 2, 8 threads, geometric means of AMD EPYC and Intel(R) Xeon(R) Processor; written on 2026-11-23.
 */
// biome-ignore-all lint/suspicious/noApproximativeNumericConstant: measured, not derived
import type { MachineCosts } from './model.js';

export const MACHINE_COSTS: MachineCosts = {
  kernels: {
    "bsr": {"f64Entry":0.125,"f32Entry":0.089,"row":0.997,"misprediction":1.99,"step":0.226,"stall":0.5,"doubt":1.02},
    "bsr_unrolled": {"f64Entry":0.0314,"f32Entry":0.0218,"row":2.53,"misprediction":1.63,"step":0.313,"stall":10.4},
    "components": {"f64Entry":0.41,"f32Entry":0.346,"row":0.137,"misprediction":0.32,"step":0.524,"stall":0.331,"doubt":1.07},
    "components_pattern": {"f64Entry":0.349,"f32Entry":0.324,"row":0.142,"misprediction":0.446,"step":0.386,"stall":0.199,"doubt":1.02},
    "components_table": {"f64Entry":0.604,"f32Entry":0.583,"row":0.208,"misprediction":0.523,"step":0.497,"stall":0.269},
    "csr": {"f64Entry":0.375,"f32Entry":0.333,"row":1.78,"misprediction":2.38,"step":1.04,"stall":0.205,"doubt":1.02},
    "csr_merge": {"f64Entry":0.38,"f32Entry":0.332,"row":2,"misprediction":2.37,"step":1.04,"stall":0.44},
    "csr_merge_pattern": {"f64Entry":0.4,"f32Entry":0.354,"row":0.634,"misprediction":3.09,"step":1.04,"stall":0.504},
    "csr_pattern": {"f64Entry":0.338,"f32Entry":0.319,"row":1.33,"misprediction":2.02,"step":1.04,"stall":0.222,"doubt":1.02},
    "csr_table": {"f64Entry":0.587,"f32Entry":0.608,"row":1.7,"misprediction":3.52,"step":1.04,"stall":0.344},
    "csrk16": {"f64Entry":0.384,"f32Entry":0.338,"row":2.04,"misprediction":2.83,"step":1.04,"stall":0.218,"doubt":1.02},
    "csrk16_pattern": {"f64Entry":0.337,"f32Entry":0.307,"row":1.65,"misprediction":2.78,"step":1.04,"stall":0.382},
    "csrk16_table": {"f64Entry":0.571,"f32Entry":0.571,"row":2.14,"misprediction":3.86,"step":1.04,"stall":0.426},
    "dia": {"f64Entry":0.207,"f32Entry":0.0945,"row":0.085,"misprediction":1.99,"step":0.127,"stall":0.5,"doubt":1.02},
    "dia_table": {"f64Entry":0.196,"f32Entry":0.0887,"row":0.24,"misprediction":1.99,"step":0.228,"stall":0.5},
    "inode": {"f64Entry":0.146,"f32Entry":0.066,"row":3.82,"misprediction":1.4,"step":0.225,"stall":0.537,"doubt":1.1},
    "panels": {"f64Entry":0.384,"f32Entry":0.322,"row":0.78,"misprediction":1.99,"step":0.818,"stall":0.5,"doubt":1.04},
    "panels_pattern": {"f64Entry":0.312,"f32Entry":0.274,"row":0.764,"misprediction":1.99,"step":0.787,"stall":0.5},
    "pkt": {"f64Entry":0.7,"f32Entry":0.603,"row":2.3,"misprediction":1.99,"step":1.57,"stall":0.5},
    "sell": {"f64Entry":0.378,"f32Entry":0.294,"row":4.9,"permutedRow":1.02,"misprediction":1.58,"step":0.572,"stall":0.508},
    "sell16": {"f64Entry":0.388,"f32Entry":0.302,"row":5.01,"permutedRow":1.06,"misprediction":2.62,"step":0.578,"stall":0.515},
    "sell16_table": {"f64Entry":0.566,"f32Entry":0.572,"row":5.27,"permutedRow":1.06,"misprediction":2.4,"step":0.868,"stall":0.533,"doubt":1.07},
    "sellFour": {"f64Entry":0.36,"f32Entry":0.316,"row":3.48,"permutedRow":1,"misprediction":2.34,"step":0.625,"stall":0.292},
    "sellFour16": {"f64Entry":0.38,"f32Entry":0.319,"row":4.2,"permutedRow":0.95,"misprediction":2.81,"step":0.584,"stall":0.483},
    "sell_table": {"f64Entry":0.569,"f32Entry":0.552,"row":4.52,"permutedRow":1,"misprediction":2.94,"step":0.859,"stall":0.325},
    "sss": {"f64Entry":0.399,"f32Entry":0.323,"row":0.86,"misprediction":2,"step":1.73,"stall":0.514},
    "sss16": {"f64Entry":0.871,"f32Entry":0.827,"row":4.24,"misprediction":7.26,"step":0.804,"stall":0.618},
  },
  conversionNs: {"bsr":3,"bsr_unrolled":12.3,"components":9.58,"components_pattern":7.57,"components_table":18.8,"csr":2.99,"csr_merge":2.35,"csr_merge_pattern":2.55,"csr_pattern":2.84,"csr_table":11.2,"csrk16":4.33,"csrk16_pattern":3.89,"csrk16_table":12.3,"dia":11.3,"dia_table":10.7,"inode":4.95,"panels":26.4,"panels_pattern":25.7,"pkt":73.3,"sell":8.27,"sell16":8.66,"sell16_table":17,"sellFour":8.15,"sellFour16":8.47,"sell_table":15.8,"sss":78.6,"sss16":25.1},
  byteNs: [0.00173,0.00684,0.0477],
  missNs: [0.547,2.03,9.02],
  cacheBytes: [1320000,27600000],
  rememberedRows: 4120,
  busSpeedup: 3.6,
  overlap: 1.16,
  startNs: 293,
  forkJoinNs: 8110,
};
