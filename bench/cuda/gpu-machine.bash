# Common to the scripts for a machine with an NVIDIA GPU, nvcc and cuSPARSE, which are run from the project's root and source this file: the time
# limit, and the native programs.

here=bench/cuda

# Work in progress at the time limit may still finish: so many seconds. Chosen.
GRACE=20

# usage: end_after SECONDS — nothing begins after $until.
end_after() { until=$(($(date +%s) + $1 - GRACE)); }

# Prints the seconds until work in progress must end.
seconds_left() { echo $((until + GRACE - $(date +%s))); }

# The toolkit's libraries need not be on the system's library path.
toolkit=$(nvcc --dryrun -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
export LD_LIBRARY_PATH="$toolkit/targets/x86_64-linux/lib:$toolkit/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# usage: compile NAME SOURCE [flags of nvcc …] — makes $tools/NAME, unless it is newer than its source.
compile() { [ "$tools/$1" -nt "$2" ] || nvcc -std=c++20 -O3 -arch=native -o "$tools/$1" "${@:2}"; }

# usage: compile_programs PROGRAM … — makes limits, cusparse-f64 and cusparse-f32, and PROGRAM-f64 and PROGRAM-f32 of papers/PROGRAM.cu.
compile_programs() {
  local real program job
  compile limits $here/limits.cu &
  for real in f64:double f32:float; do
    compile "cusparse-${real%:*}" $here/cusparse.cu -DREAL="${real#*:}" -lcusparse &
    for program in "$@"; do compile "$program-${real%:*}" $here/papers/"$program".cu -DREAL="${real#*:}" & done
  done
  for job in $(jobs -p); do wait "$job" || echo "a program cannot be compiled: its lines will be missing"; done
}
