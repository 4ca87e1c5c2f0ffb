/* Gradients of tables that rows are looked up in. */
#ifndef HABITAT_WORK_TABLE_GRADIENT_H
#define HABITAT_WORK_TABLE_GRADIENT_H

#include <stdbool.h>

#include <habitat/work.h>

/* Of single rows, or of bags of them. */
bool work_is_table_gradient(const habitat_work *work);
/* PyTorch goes through few rows one by one, in one kernel; more are sorted first, by many. */
bool work_sorts_rows(const habitat_work *work);

#endif
