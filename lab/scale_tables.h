/* Judged batch sizes and precisions as Markdown and as CSV. */
#ifndef HABITAT_LAB_SCALE_TABLES_H
#define HABITAT_LAB_SCALE_TABLES_H

#include "lab/scale.h"
#include "lab/report.h"

void scale_print_tables(const scale_set *set, report_text *text);
void scale_print_cases(const scale_set *set, report_text *text);

#endif
