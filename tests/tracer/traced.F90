! An MPI program to be traced by the interface that -D names: INCLUDED is mpif.h, MODULE is mpi, otherwise it is
! mpi_f08. Messages around a ring, by the calls whose arguments the bindings translate, and collectives.
program traced
#if defined(MODULE)
  use mpi
#elif !defined(INCLUDED)
  use mpi_f08
#endif
  implicit none
#if defined(INCLUDED)
  include 'mpif.h'
#endif
#if defined(INCLUDED) || defined(MODULE)
  integer :: requests(4), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 4), half
#else
  type(MPI_Request) :: requests(4)
  type(MPI_Status) :: status, statuses(4)
  type(MPI_Comm) :: half
#endif
  integer :: ierr, rank, ranks, left, right, done, which, indices(4), got
  double precision :: sent(1000), received(1000)
  logical :: flag

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  sent = rank

  ! 8 bytes, blocking
  if (mod(rank, 2) == 0) then
    call MPI_Send(sent, 1, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, ierr)
    call MPI_Recv(received, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, status, ierr)
  else
    call MPI_Recv(received, 1, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Send(sent, 1, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, ierr)
  end if
  call expect(nint(received(1)) == left)

  ! 16 and 24 bytes, each completed by another call
  call MPI_Irecv(received, 2, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(sent, 2, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitall(2, requests, statuses, ierr)
  call MPI_Irecv(received, 3, MPI_DOUBLE_PRECISION, left, 3, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(sent, 3, MPI_DOUBLE_PRECISION, right, 3, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitany(2, requests, which, status, ierr)
  done = 0
  do while (done == 0)
    call MPI_Testsome(2, requests, done, indices, statuses, ierr)
  end do
  call expect(done == 1)

  ! 32 bytes, synchronous and exchanged
  call MPI_Irecv(received, 4, MPI_DOUBLE_PRECISION, left, 4, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Ssend(sent, 4, MPI_DOUBLE_PRECISION, right, 4, MPI_COMM_WORLD, ierr)
  flag = .false.
  do while (.not. flag)
    call MPI_Test(requests(1), flag, status, ierr)
  end do
  call MPI_Get_count(status, MPI_DOUBLE_PRECISION, got, ierr)
  call expect(got == 4)
  call MPI_Sendrecv(sent, 5, MPI_DOUBLE_PRECISION, right, 5, received, 5, MPI_DOUBLE_PRECISION, left, 5, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)

  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
  call MPI_Barrier(half, ierr)
  call MPI_Allreduce(MPI_IN_PLACE, sent, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  call expect(nint(sent(1)) == ranks * (ranks - 1) / 2)
  call MPI_Bcast(sent, 6, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  call MPI_Pcontrol(0)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Pcontrol(1)
  call MPI_Comm_free(half, ierr)
  call MPI_Finalize(ierr)

contains

  subroutine expect(holds)
    logical, intent(in) :: holds
    if (.not. holds) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine
end program
