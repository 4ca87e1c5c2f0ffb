/* What all handlers say alike: an operation's kind, the number format of statistics, and which
 * operations can be made. */
#include "work/rule.h"

#include <string.h>

void work_copy_kind(char kind[24], const char *text, size_t length) {
    size_t n = length < 23 ? length : 23;
    memcpy(kind, text, n);
    kind[n] = 0;
}

void work_set_kind(habitat_work *work, const char *kind) {
    work_copy_kind(work->kind, kind, strlen(kind));
}

habitat_dtype work_statistics_dtype(habitat_dtype dtype) {
    return dtype == HABITAT_DTYPE_FP16 || dtype == HABITAT_DTYPE_BF16 ? HABITAT_DTYPE_FP32 : dtype;
}

bool work_can_be_made(habitat_dtype dtype, habitat_pass pass, const double *sizes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!(sizes[i] > 0 && sizes[i] < 1e18))
            return false;
    return habitat_dtype_bytes(dtype) &&
           (pass == HABITAT_PASS_FORWARD || pass == HABITAT_PASS_BACKWARD);
}
