/* Judged iterations of several GPUs as Markdown and as CSV. */
#ifndef HABITAT_LAB_DDP_TABLES_H
#define HABITAT_LAB_DDP_TABLES_H

#include "lab/ddp.h"
#include "lab/report.h"

void ddp_print_tables(const ddp_result *result, report_text *text);
void ddp_print_cases(const ddp_result *result, report_text *text);

#endif
