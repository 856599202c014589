/* The second name of a function of the interface: what SISCI_EXPORT(SCIOpen) stands behind is
 * compiled under its MT name, and the ST name becomes an alias. */
#ifndef SISCI_EXPORT_H
#define SISCI_EXPORT_H

#ifndef _REENTRANT
#error "the library is compiled with -D_REENTRANT: its own functions have the MT names"
#endif

#define SISCI_EXPORT(name)                                                                         \
    extern __typeof__(sisci_shm_mt_##name) sisci_shm_st_##name                                     \
        __attribute__((alias("sisci_shm_mt_" #name)))

#endif
