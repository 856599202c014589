# shellcheck shell=sh
# shellcheck disable=SC2034 # variables for those who source this file
# Real MPI programs as workloads: applications that Debian has, with inputs that take seconds. Source this
# file where srcdir is set.
: "${srcdir:?}"

applications="lammps gromacs hpcc"

# prepare_application NAME RANKS: make its input in this folder, and set `words` to the command; false,
# with the reason in `missing`, if it is not installed.
prepare_application() {
    missing=
    words=
    "prepare_$1" "$2"
}

needs_command() {
    command -v "$1" >/dev/null && return
    missing="$1 is not there; install the package $2"
    return 1
}

# The Lennard-Jones liquid, with 256 atoms a rank.
prepare_lammps() {
    needs_command lmp lammps || return 1
    words="lmp -in $srcdir/docs/examples/melt.lammps -var x 4 -var y 4 -var z $((4 * $1)) -var steps 50 -log none -screen none"
}

# 2165 molecules of water; 50 steps with long-range forces by PME.
prepare_gromacs() {
    needs_command gmx_mpi gromacs || return 1
    [ -f water.tpr ] || make_water >make-water.log 2>&1 || {
        missing="gmx cannot make the water: see make-water.log"
        return 1
    }
    words="gmx_mpi -quiet mdrun -s water.tpr -ntomp 1 -noconfout -deffnm water"
}

make_water() {
    cat >water.top <<'TOP' || return 1
#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spce.itp"
[ system ]
water
[ molecules ]
TOP
    cat >water.mdp <<'MDP' || return 1
integrator = md
nsteps = 50
dt = 0.002
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
gen-vel = yes
gen-temp = 300
MDP
    gmx -quiet solvate -cs spc216 -box 4 4 4 -o water.gro -p water.top &&
        gmx -quiet grompp -f water.mdp -c water.gro -p water.top -o water.tpr -maxwarn 5
}

# All seven benchmarks of HPC Challenge. It takes messages by tags, with receives started in advance.
prepare_hpcc() {
    example=/usr/share/doc/hpcc/examples/_hpccinf.txt
    needs_command hpcc hpcc || return 1
    [ -r "$example" ] || {
        missing="its example input $example is not there; install the package with its documentation"
        return 1
    }
    columns=$1
    rows=1
    while [ $((columns % 2)) -eq 0 ] && [ "$columns" -gt $((2 * rows)) ]; do
        columns=$((columns / 2))
        rows=$((rows * 2))
    done
    sed -e '6s/.*/200 Ns/' -e "11s/.*/$rows Ps/" -e "12s/.*/$columns Qs/" "$example" >hpccinf.txt
    rm -f hpccoutf.txt
    words=hpcc
}
