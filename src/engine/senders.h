/* Several sending threads of a source (--threads).
 *
 * The rank's own thread is the first of them and the only one that receives: acknowledgements come
 * to it. All threads send packets to the rank's first peer, through one node, and share its window:
 * a packet needs a credit, and an acknowledgement returns credits. The threads live as long as the
 * rank's part in a measurement; between blocks they sleep. */
#ifndef ENGINE_SENDERS_H
#define ENGINE_SENDERS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/traffic.h"
#include "stats/stats.h"

/* Start `threads` - 1 threads for a rank with a peer. CB_ERROR_MEMORY or CB_ERROR_SYSTEM, logged.
 */
cb_status senders_create(bench_rank *me, size_t threads, bench_senders **out);

/* End the threads. NULL is ignored. */
void senders_destroy(bench_senders *senders);

/* Hot. Send the packets of a block, an equal part in each thread, and wait until all are
 * acknowledged. If `histogram` is not NULL, the time that a thread needs for each of its packets is
 * recorded in it. Returns the first error of any thread; then no thread sends any more. */
cb_status senders_send(bench_senders *senders, uint64_t packets, stats_histogram *histogram);

/* Start a pass: reset the counts of senders_packets. */
void senders_reset(bench_senders *senders);

/* Add to packets[i], for each thread i, what it has sent in the blocks of this pass until one of
 * the threads had sent its part. */
void senders_packets(const bench_senders *senders, uint64_t *packets);

#endif
