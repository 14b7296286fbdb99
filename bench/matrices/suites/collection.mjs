/**
 * Documented figures of the matrices that the papers took from the SuiteSparse collection, for stand-ins where the
 * paper's table has no figure.
 *
 * Source: sizes and row statistics of the whole collection as listed by github.com/cslab-ntua/SpMV-Research
 * (results_visualization/helper_scripts/feats.csv, benchmark_code/CPU/AMD/datasets/tamu_sorted_by_size.csv), rounded to
 * four digits at most. Explicit zeros count as entries there; Lane & Booth and Abdelfattah et al. omitted them. The
 * last column is ours: the kind of matrix, the unknowns of a node, and an estimate of the share of mirrored entries,
 * for papers that do not publish it.
 *
 * Columns: name in the collection, field, symmetry, rows, cols, entries,
 *   least/greatest/standard deviation of the row lengths, the same of the columns' lengths,
 *   average/standard deviation/greatest of last − first column of a row, over cols,
 *   mean length of a run of adjacent columns,
 *   share of the entries next to (one column apart at most) one of the next row,
 *   kind (see `stand-in.mjs`)/block/share of mirrored entries off the diagonal.
 */
const TABLE = `
333SP                    pattern symmetric 3712815 3712815 22217266 2/28/0.703     2/28/0.703     0.238/0.205/0.991       1.29   0.52 mesh/1/1
af_shell10               real    symmetric 1508065 1508065 52672325 15/35/0.9015   15/35/0.9015   0.00348/9.9e-05/0.00349 11.7   0.93 blocks/5/1
airfoil_2d               real    general     14214   14214   259688 1/23/3.948     4/23/2.923     0.0233/0.0335/0.42      1.08   0.26 mesh/1/0.98
as-Skitter               pattern symmetric 1696415 1696415 22190596 1/35455/136.9  1/35455/136.9  0.373/0.253/0.812        1.4   0.49 power-law/1/1
AS365                    pattern symmetric 3799275 3799275 22736152 2/14/0.8655    2/14/0.8655    0.634/0.198/0.999       1.19   0.27 mesh/1/1
bauru5727                real    general     40366   40366   145019 1/34/2.711     1/34/2.751     0.0558/0.0896/0.529      1.6   0.71 graph/1/0.9
belgium_osm              pattern symmetric 1441295 1441295  3099940 1/10/0.4927    1/10/0.4927    0.0608/0.159/0.995      1.01   0.77 graph/1/1
cage10                   real    general     11397   11397   150645 5/25/3.984     5/25/3.984     0.285/0.126/0.596       1.16   0.72 mesh/1/1
cage14                   real    general   1505785 1505785 27130349 5/41/5.368     5/41/5.368     0.22/0.125/0.648        1.12   0.78 mesh/1/1
cant                     real    symmetric   62451   62451  4007383 1/78/14.06     1/78/14.06     0.0086/0.000662/0.00877  5.2   0.91 blocks/3/1
cavity21                 real    general      4562    4562   138187 1/62/16.89     8/62/15.16     0.0648/0.0308/0.123     5.19   0.84 mesh/1/0.9
circuit5M                real    general   5558326 5558326 59524291 1/1290501/1357 1/1290501/1357 0.503/0.256/1           2.14   0.94 power-law/1/1
circuit5M_dc             real    general   3523317 3523317 19194193 1/27/2.091     1/25/1.279     0.444/0.171/0.972       1.79   0.65 graph/1/0.9
cit-Patents              pattern general   3774768 3774768 16518948 0/770/7.781    0/779/6.655    0.157/0.208/0.978       1.01 0.0083 power-law/1/0
coater2                  real    general      9540    9540   207308 0/63/13.09     1/61/13.34     0.0361/0.019/0.109      1.97   0.77 mesh/1/0.4
com-Youtube              pattern symmetric 1134890 1134890  5975248 1/28754/50.75  1/28754/50.75  0.195/0.281/1           1.16   0.44 power-law/1/1
consph                   real    symmetric   83334   83334  6010480 1/81/19.08     1/81/19.08     0.0698/0.0979/0.558     6.98   0.88 blocks/3/1
cop20k_A                 real    symmetric  121192  121192  2624331 0/81/13.79     0/81/13.79     0.623/0.316/0.999       2.21   0.63 mesh/1/1
CurlCurl_3               real    symmetric 1219574 1219574 13544618 4/13/0.8855    4/13/0.8855    0.0213/0.00369/0.0223   1.56   0.52 mesh/1/1
CurlCurl_4               real    symmetric 2380515 2380515 26515867 4/13/0.8559    4/13/0.8559    0.0179/0.00283/0.0186   1.55   0.52 mesh/1/1
dgreen                   real    general   1200611 1200611 38259877 5/187/11.45    5/187/11.45    0.55/0.155/0.824        1.03   0.17 mesh/1/1
dielFilterV2real         real    symmetric 1157456 1157456 48538952 6/110/16.15    6/110/16.15    0.511/0.183/0.819       1.74   0.55 mesh/1/1
Freescale1               real    general   3428755 3428755 18920347 1/27/2.075     1/25/1.223     0.555/0.235/1           1.65   0.64 graph/1/0.9
Freescale2               real    general   2999349 2999349 23042677 1/30167/37.49  1/30478/37.58  0.431/0.231/1           1.37   0.57 power-law/1/1
FullChip                 real    general   2987012 2987012 26621990 1/2312481/1807 1/2312476/1807 0.555/0.266/0.999       1.62   0.65 graph/1/1
G3_circuit               real    symmetric 1585478 1585478  7660826 2/6/0.6419     2/6/0.6419     0.0948/0.152/0.769       1.7    0.9 mesh/1/1
Hamrle3                  real    general   1447360 1447360  5514242 2/6/1.551      2/9/2.084      0.0944/0.176/0.993      1.73   0.73 graph/1/0
Hook_1498                real    symmetric 1498023 1498023 60917445 15/93/13.95    15/93/13.95    0.022/0.0119/0.0386     4.53   0.81 blocks/3/1
hugetrace-00000          pattern symmetric 4588484 4588484 13758266 2/3/0.03954    2/3/0.03954    0.387/0.254/1              1   0.52 mesh/1/1
hugetric-00000           pattern symmetric 5824554 5824554 17467046 2/3/0.03368    2/3/0.03368    0.387/0.255/1              1   0.52 mesh/1/1
hvdc1                    real    general     24842   24842   159981 2/181/3.617    2/40/2.936     0.291/0.27/0.997        2.33   0.68 graph/1/0.9
in-2004                  pattern general   1382908 1382908 16917053 0/7753/37.23   0/21866/144.1  0.0215/0.103/0.979      4.06   0.79 power-law/1/0.4
kkt_power                real    symmetric 2063494 2063494 14612663 1/96/7.4       1/96/7.4       0.506/0.312/0.992          1   0.67 power-law/1/1
lhr07                    real    general      7337    7337   156508 1/63/26.2      1/36/16.01     0.303/0.237/0.791       5.48    0.7 graph/1/0.05
M6                       pattern symmetric 3501776 3501776 21003872 3/10/0.8447    3/10/0.8447    0.641/0.201/0.998       1.19   0.28 mesh/1/1
mac_econ_fwd500          real    general    206500  206500  1273389 1/44/4.436     1/47/6.106     0.00191/0.00207/0.0101   1.1   0.33 graph/1/0.07
memchip                  real    general   2707524 2707524 14810202 2/27/2.062     1/27/1.173     0.45/0.166/0.984         1.8   0.66 graph/1/0.9
NACA0015                 pattern symmetric 1039183 1039183  6229636 3/10/0.8566    3/10/0.8566    0.581/0.193/0.997       1.19   0.26 mesh/1/1
netherlands_osm          pattern symmetric 2216688 2216688  4882476 1/7/0.5816     1/7/0.5816     0.0602/0.169/0.999      1.01   0.58 graph/1/1
NLR                      pattern symmetric 4163763 4163763 24975952 3/20/0.8419    3/20/0.8419    0.626/0.209/1            1.2   0.28 mesh/1/1
nv2                      real    general   1453908 1453908 52728362 4/84/9.173     4/84/9.173     0.7/0.0645/0.776           1  0.094 mesh/1/1
packing-500x100x100-b050 pattern symmetric 2145852 2145852 34976486 0/18/2.83      0/18/2.83      0.00576/0.0175/0.211    1.73   0.93 mesh/1/1
patents                  pattern general   3774768 3774768 14970767 0/36/5.316     0/762/5.613    0.152/0.203/0.978       1.01 0.0081 power-law/1/0
pdb1HYS                  real    symmetric   36417   36417  4344765 18/204/31.86   18/204/31.86   0.13/0.199/0.947        12.3   0.93 blocks/3/1
pwtk                     real    symmetric  217918  217918 11634424 2/180/4.744    2/180/4.744    0.0593/0.201/0.869      16.4   0.95 blocks/6/1
rail4284                 real    general      4284 1096894 11284032 2/56182/4209   1/12/1.882     0.956/0.112/1           4.72   0.27 power-law/1/0
rajat22                  real    general     39899   39899   197264 1/3401/24.97   1/3269/24.55   0.0659/0.159/0.999       1.6   0.67 power-law/1/0.98
rajat31                  real    general   4690002 4690002 20316253 1/1252/1.106   1/1252/1.106   0.000972/0.0189/1       1.38   0.65 graph/1/1
rma10                    real    general     46835   46835  2374001 4/145/27.78    4/145/27.78    0.188/0.222/0.542       7.14   0.87 blocks/5/1
roadNet-CA               pattern symmetric 1971281 1971281  5533214 0/12/1.005     0/12/1.005     0.00448/0.0383/0.965    1.09   0.36 graph/1/1
roadNet-PA               pattern symmetric 1090920 1090920  3083796 0/9/1.026      0/9/1.026      0.00605/0.0462/0.999    1.09   0.32 graph/1/1
roadNet-TX               pattern symmetric 1393383 1393383  3843320 0/12/1.037     0/12/1.037     0.00494/0.0432/0.964    1.09    0.3 graph/1/1
scircuit                 real    general    170998  170998   958936 1/353/4.392    1/353/4.392    0.297/0.279/1           1.67   0.63 power-law/1/1
shermanACb               real    general     18510   18510   145149 1/10405/99.95  1/10405/99.38  0.504/0.29/0.996        1.56   0.55 power-law/1/0.9
shipsec1                 real    symmetric  140874  140874  7813404 24/102/11.07   24/102/11.07   0.0459/0.0191/0.072     6.95   0.87 blocks/6/1
soc-Pokec                pattern general   1632803 1632803 30622564 0/8763/32.14   0/13733/32.14  0.453/0.312/1           1.02  0.053 power-law/1/0.5
ss                       real    general   1652680 1652680 34753577 1/43/11.22     1/27/7.176     0.471/0.173/0.97        2.08   0.78 mesh/1/0.7
StocF-1465               real    symmetric 1465137 1465137 21005389 1/189/2.574    1/189/2.574    0.0339/0.0148/0.05      1.56   0.69 mesh/1/1
sx-stackoverflow         real    general   2601977 2601977 36233450 0/38148/137.8  0/22258/65.37  0.24/0.309/1               1   0.12 power-law/1/0.4
thermal2                 real    symmetric 1228045 1228045  8580313 1/11/0.8114    1/11/0.8114    0.133/0.25/0.999        1.31   0.44 mesh/1/1
Transport                real    general   1602111 1602111 23500731 5/15/1.115     5/15/1.115     0.0624/0.0079/0.0645    2.14      1 mesh/1/1
turon_m                  real    symmetric  189924  189924  1690876 1/11/2.762     1/11/2.762     0.383/0.263/0.98         1.5   0.52 mesh/1/1
vas_stokes_1M            real    general   1090664 1090664 34767207 1/577/39.78    3/1013/54.82   0.596/0.199/0.988       1.92   0.77 mesh/1/0.4
venturiLevel3            pattern symmetric 4026819 4026819 16108474 2/6/0.1183     2/6/0.1183     0.0463/0.0818/0.97         1   0.59 mesh/1/1
watson_2                 real    general    352013  677224  1846391 1/93/12.87     1/15/1.28      0.0107/0.0732/0.992     1.21   0.42 graph/1/0
webbase-1M               real    general   1000005 1000005  3105536 1/4700/25.35   1/28685/36.88  0.152/0.124/0.988       1.19   0.94 power-law/1/0.1
wiki-Talk                pattern general   2394385 2394385  5021410 0/100022/99.92 0/3311/12.2    0.00901/0.0785/1        1.08   0.41 power-law/1/0.1
wiki-talk-temporal       real    general   1140149 1140149  3309592 0/141884/168.6 0/3316/16.83   0.0206/0.109/1          1.14   0.32 power-law/1/0.2
wiki-topcats             pattern general   1791489 1791489 28511807 1/3907/30.43   1/238040/283.8 0.521/0.33/1             1.1   0.28 power-law/1/0.2
wikipedia-20051105       pattern general   1634989 1634989 19753078 0/4970/31.07   0/75547/207.2  0.34/0.38/1             1.03  0.071 power-law/1/0.1
wikipedia-20060925       pattern general   2983494 2983494 37269096 0/5852/32.87   0/159378/236.5 0.358/0.395/1           1.02   0.05 power-law/1/0.1
wikipedia-20061104       pattern general   3148440 3148440 39383235 0/6576/33.16   0/168685/239.9 0.355/0.394/1           1.02   0.05 power-law/1/0.1
wikipedia-20070206       pattern general   3566907 3566907 45030389 0/7061/32.98   0/187342/250.1 0.353/0.395/1           1.02  0.048 power-law/1/0.1
`;

/** By name in the collection. */
export const COLLECTION = Object.fromEntries(TABLE.trim().split('\n').map(record));

function record(line) {
  const [name, field, symmetry, rows, cols, nnz, ofRows, ofCols, spread, run, similarity, character] =
    line.split(/\s+/);
  const [kind, block, mirrored] = character.split('/');
  const documented = {
    ...{ field, symmetry, rows: Number(rows), cols: Number(cols), nnz: Number(nnz) },
    ...{ rowLengths: lengthsOf(ofRows), colLengths: lengthsOf(ofCols) },
    ...{ spread: spread.split('/').map(Number), run: Number(run), similarity: Number(similarity) },
    ...{ kind, block: Number(block), mirrored: Number(mirrored) },
  };
  return [name, documented];
}

function lengthsOf(text) {
  const [min, max, deviation] = text.split('/').map(Number);
  return { min, max, variance: deviation ** 2 };
}
