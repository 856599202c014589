/* The faults of the lossy mode: what SISCI_SHM_FAULTS asks for, and the dice. */
#ifndef SISCI_FAULTS_H
#define SISCI_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    bool active; /* whether the variable is set: stores go through shadows even without faults */
    uint64_t seed;
    double drop;    /* probability that a line does not arrive */
    double tear;    /* that it arrives in part */
    double pending; /* that a fault is reported as pending */
    double cut;     /* that a fault is an outage of some length */
    double lose;    /* that a fault is the end of the connection */
    double reorder; /* whether lines arrive in a random order: 0 or 1 */
} sisci_faults;

/* Read "seed=7,drop=0.01,reorder=1"; NULL or empty: none. False: no meaning, with the reason in
 * `reason`. */
bool sisci_faults_parse(const char *text, sisci_faults *faults, char *reason, size_t reason_bytes);

/* Random numbers of one stream of a seed. */
typedef struct {
    uint64_t state;
} sisci_dice;

sisci_dice sisci_dice_make(uint64_t seed, uint64_t stream);
uint64_t sisci_dice_next(sisci_dice *dice);
uint64_t sisci_dice_below(sisci_dice *dice, uint64_t bound);
bool sisci_dice_falls(sisci_dice *dice, double probability);

#endif
