/* What kernels of a rank take while no message waits beside them. */
#ifndef HABITAT_WORKLOAD_RANKS_BESIDE_H
#define HABITAT_WORKLOAD_RANKS_BESIDE_H

#include <habitat/trace.h>

/* traces: shape (rank_count), of ranks whose message i is the same one; message_ns: shape
 * (message_count), what each takes. taken_ns: shape (rank_count), each made with shape (kernels of
 * the trace), the caller frees them also on failure: messages without their waiting, kernels as if
 * none had waited, the rest as recorded. HABITAT_OK or HABITAT_E_MEMORY. */
habitat_status ranks_take_beside(const habitat_trace *const *traces, size_t rank_count,
                                 const uint64_t *message_ns, size_t message_count,
                                 uint64_t **taken_ns);

#endif
