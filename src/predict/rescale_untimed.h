/* A recording without a GPU at another batch size. */
#ifndef HABITAT_PREDICT_RESCALE_UNTIMED_H
#define HABITAT_PREDICT_RESCALE_UNTIMED_H

#include "rescale/scale.h"

/* w: untimed, as recorded. out: untimed, too; free with habitat_workload_free(). HABITAT_E_ARG,
 * HABITAT_E_UNSUPPORTED (nothing tells what grows with the batch), HABITAT_E_MEMORY. */
habitat_status rescale_untimed(const habitat_workload *w, uint64_t batch, habitat_workload **out,
                               habitat_error *err);

#endif
