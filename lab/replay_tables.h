/* Judged replays as Markdown and as CSV. */
#ifndef HABITAT_LAB_REPLAY_TABLES_H
#define HABITAT_LAB_REPLAY_TABLES_H

#include "lab/replay_case.h"
#include "lab/report.h"

void replay_print_tables(const replay_set *set, report_text *text);
void replay_print_cases(const replay_set *set, report_text *text);

#endif
