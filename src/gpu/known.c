/* One table of the built-in GPUs a process. */
#include "gpu/known.h"

#include <stdatomic.h>

static _Atomic(habitat_gpu_table *) known; /* once there it stays */

habitat_status gpu_known(const habitat_gpu_table **out, habitat_error *err) {
    habitat_gpu_table *found = atomic_load(&known), *made = NULL;
    if (!found) {
        habitat_status status = habitat_gpu_table_create(NULL, &made, err);
        if (status != HABITAT_OK)
            return status;
        if (atomic_compare_exchange_strong(&known, &found, made))
            found = made;
        else
            habitat_gpu_table_free(made);
    }
    *out = found;
    return HABITAT_OK;
}
