/**
 * The constants of the cost model, written by `bench/fit.mjs` from the times of 372 matrices (`bench/kinds`, even seeds), f64 and
 * f32, 1, 2, 8 threads, geometric means of AMD EPYC and Intel(R) Xeon(R) Processor; written on 2026-11-23.
 */
// biome-ignore-all lint/suspicious/noApproximativeNumericConstant: measured, not derived
import type { MachineCosts } from './model.js';

export const MACHINE_COSTS: MachineCosts = {
  kernels: {
    "bsr": {"f64Entry":0.125,"f32Entry":0.0856,"row":0.932,"misprediction":1.99,"step":0.225,"stall":0.5},
    "bsr2": {"f64Entry":0.123,"f32Entry":0.125,"row":1.85,"misprediction":2.35,"step":0.206,"stall":0.583},
    "bsr_unrolled": {"f64Entry":0.0427,"f32Entry":0.0312,"row":2.83,"misprediction":1.34,"step":0.261,"stall":1.19,"doubt":1.02},
    "bsr_wide": {"f64Entry":0.127,"f32Entry":0.0602,"row":0.602,"misprediction":2,"step":0.158,"stall":0.5},
    "components": {"f64Entry":0.413,"f32Entry":0.351,"row":0.136,"misprediction":0.326,"step":0.518,"stall":0.335,"doubt":1.07},
    "components_pattern": {"f64Entry":0.35,"f32Entry":0.327,"row":0.139,"misprediction":0.452,"step":0.386,"stall":0.2,"doubt":1.02},
    "components_table": {"f64Entry":0.605,"f32Entry":0.588,"row":0.206,"misprediction":0.529,"step":0.495,"stall":0.272},
    "csr": {"f64Entry":0.377,"f32Entry":0.338,"row":1.78,"misprediction":2.4,"step":0.978,"stall":0.204,"doubt":1.02},
    "csr_merge": {"f64Entry":0.382,"f32Entry":0.336,"row":1.99,"misprediction":2.4,"step":0.978,"stall":0.445},
    "csr_merge_pattern": {"f64Entry":0.401,"f32Entry":0.357,"row":0.615,"misprediction":3.13,"step":0.978,"stall":0.504},
    "csr_pattern": {"f64Entry":0.339,"f32Entry":0.323,"row":1.33,"misprediction":2.04,"step":0.978,"stall":0.222,"doubt":1.02},
    "csr_table": {"f64Entry":0.588,"f32Entry":0.612,"row":1.7,"misprediction":3.56,"step":0.978,"stall":0.344},
    "csrk16": {"f64Entry":0.386,"f32Entry":0.343,"row":2.03,"misprediction":2.85,"step":0.978,"stall":0.223,"doubt":1.02},
    "csrk16_pattern": {"f64Entry":0.338,"f32Entry":0.311,"row":1.65,"misprediction":2.82,"step":0.978,"stall":0.389},
    "csrk16_table": {"f64Entry":0.572,"f32Entry":0.575,"row":2.14,"misprediction":3.9,"step":0.978,"stall":0.429},
    "dia": {"f64Entry":0.208,"f32Entry":0.0959,"row":0.0838,"misprediction":1.99,"step":0.127,"stall":0.5,"doubt":1.02},
    "dia_table": {"f64Entry":0.195,"f32Entry":0.0885,"row":0.239,"misprediction":1.99,"step":0.228,"stall":0.5},
    "inode": {"f64Entry":0.141,"f32Entry":0.0616,"row":3.88,"misprediction":1.31,"step":0.241,"stall":0.483,"doubt":1.02},
    "panels": {"f64Entry":0.386,"f32Entry":0.327,"row":0.742,"misprediction":1.99,"step":0.814,"stall":0.5,"doubt":1.04},
    "panels_pattern": {"f64Entry":0.313,"f32Entry":0.277,"row":0.722,"misprediction":1.99,"step":0.787,"stall":0.5},
    "pkt": {"f64Entry":0.705,"f32Entry":0.611,"row":2.3,"misprediction":1.99,"step":1.45,"stall":0.5},
    "sell": {"f64Entry":0.381,"f32Entry":0.299,"row":4.82,"permutedRow":1.03,"misprediction":1.59,"step":0.574,"stall":0.509},
    "sell16": {"f64Entry":0.39,"f32Entry":0.306,"row":4.92,"permutedRow":1.06,"misprediction":2.66,"step":0.581,"stall":0.515},
    "sell16_table": {"f64Entry":0.567,"f32Entry":0.576,"row":5.21,"permutedRow":1.06,"misprediction":2.38,"step":0.871,"stall":0.536},
    "sellFour": {"f64Entry":0.363,"f32Entry":0.321,"row":3.43,"permutedRow":1.01,"misprediction":2.36,"step":0.626,"stall":0.288},
    "sellFour16": {"f64Entry":0.382,"f32Entry":0.324,"row":4.15,"permutedRow":0.954,"misprediction":2.83,"step":0.584,"stall":0.487},
    "sell_table": {"f64Entry":0.57,"f32Entry":0.556,"row":4.46,"permutedRow":1,"misprediction":2.94,"step":0.863,"stall":0.328},
    "sss": {"f64Entry":0.376,"f32Entry":0.305,"row":0.809,"misprediction":2,"step":1.73,"stall":0.516},
    "sss16": {"f64Entry":0.869,"f32Entry":0.834,"row":4.25,"misprediction":7.41,"step":0.818,"stall":0.613},
  },
  conversionNs: {"bsr":3,"bsr2":19.6,"bsr_unrolled":11.7,"bsr_wide":11,"components":9.58,"components_pattern":7.57,"components_table":18.8,"csr":2.99,"csr_merge":2.35,"csr_merge_pattern":2.55,"csr_pattern":2.84,"csr_table":11.2,"csrk16":4.33,"csrk16_pattern":3.89,"csrk16_table":12.3,"dia":11.3,"dia_table":10.7,"inode":4.95,"panels":26.4,"panels_pattern":25.7,"pkt":73.3,"sell":8.27,"sell16":8.66,"sell16_table":17,"sellFour":8.15,"sellFour16":8.47,"sell_table":15.8,"sss":78.6,"sss16":25.1},
  byteNs: [0.00167,0.00683,0.048],
  missNs: [0.538,2.02,9.04],
  cacheBytes: [1300000,27700000],
  rememberedRows: 4230,
  busSpeedup: 3.59,
  overlap: 1.17,
  startNs: 246,
  forkJoinNs: 8300,
};
