/* A part of what an installation of Dolphin's has: names as there, text and numbers of our own. */
#ifndef MOCK_SISCI_ERROR_H
#define MOCK_SISCI_ERROR_H

typedef enum { SCI_ERR_OK = 0, SCI_ERR_BUSY = 0x40000900 } sci_error_t;

#endif
