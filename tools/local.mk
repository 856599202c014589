# Programs beside the benchmarks.
bin_PROGRAMS += sisci-shm-clean

sisci_shm_clean_SOURCES = %D%/sisci-shm-clean.c
sisci_shm_clean_CPPFLAGS = $(AM_CPPFLAGS) -D_REENTRANT
sisci_shm_clean_LDADD = libsisci-shm.a $(SISCI_SHM_LIBS)
