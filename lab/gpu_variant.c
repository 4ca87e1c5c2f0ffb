/* A GPU as a method under judgement is to know it: see lab.h. */
#include <stdlib.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "lab/lab.h"

habitat_status habitat_gpu_variant_create(const habitat_gpu *gpu, bool unmeasured,
                                          const habitat_gpu_operation *operations, size_t count,
                                          habitat_gpu **out, habitat_error *err) {
    habitat_gpu *made = malloc(sizeof *made);
    if (!made)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (unmeasured)
        habitat_gpu_unmeasured(gpu, made);
    else
        *made = *gpu;
    made->operations = operations;
    made->operation_count = count;
    *out = made;
    return HABITAT_OK;
}

void habitat_gpu_variant_free(habitat_gpu *variant) {
    free(variant);
}
