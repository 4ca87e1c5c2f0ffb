/* The arithmetic of a question. */
#include "operator/operator.h"

habitat_dtype operator_arithmetic(const habitat_model_query *query) {
    return query->arithmetic != HABITAT_DTYPE_UNKNOWN ? query->arithmetic : query->work->dtype;
}
