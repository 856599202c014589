# Tests of the transport and of the control plane under mpirun.
