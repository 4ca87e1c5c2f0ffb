/* What all handlers say alike: an operation's kind, and the number format of statistics. */
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
