/* Judged peaks of memory as Markdown and as CSV. */
#ifndef HABITAT_LAB_MEMORY_TABLES_H
#define HABITAT_LAB_MEMORY_TABLES_H

#include "lab/memory.h"
#include "lab/report.h"

void memory_print_tables(const memory_set *set, report_text *text);
void memory_print_cases(const memory_set *set, report_text *text);

#endif
