/* What is done with a prediction that is there. */
#include <habitat/predict.h>

#include <stdlib.h>

void habitat_prediction_free(habitat_prediction *prediction) {
    if (!prediction)
        return;
    free(prediction->trace_kernels);
    free(prediction->trace_kernel_ms);
    free(prediction->rank_waiting_ms);
    free(prediction);
}
