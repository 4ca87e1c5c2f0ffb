#include "work/table_gradient.h"

#include <string.h>

#include "base/constants_kernels.h"
#include "work/kinds.h"

bool work_is_table_gradient(const habitat_work *work) {
    return work->op_class == HABITAT_CLASS_EMBEDDING && work->pass == HABITAT_PASS_BACKWARD &&
           (work_kind_is(work->kind, WORK_EMBEDDING) ||
            work_kind_is(work->kind, WORK_EMBEDDING_BAG));
}

bool work_sorts_rows(const habitat_work *work) {
    return work_is_table_gradient(work) && work->shape.rows.rows > hardware_unsorted_rows_most;
}
