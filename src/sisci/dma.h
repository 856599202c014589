/* DMA queues, as the end of the library sees them. Called with the library locked. */
#ifndef SISCI_DMA_H
#define SISCI_DMA_H

/* Let the engine finish what is posted, and stop it; the library is unlocked meanwhile. */
void sisci_dma_stop(void);

/* In a child after fork(): forget the parent's engine and its transfers. */
void sisci_dma_forget(void);

#endif
