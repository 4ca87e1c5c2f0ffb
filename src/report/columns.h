/* Columns of a text table that the caller chose by their keys. */
#ifndef HABITAT_REPORT_COLUMNS_H
#define HABITAT_REPORT_COLUMNS_H

#include <habitat/report.h>

#include "report/rows.h"

/* Whether the caller asked for the column of this key. */
bool columns_chosen(const habitat_report_options *options, const char *key);

/* HABITAT_E_ARG for a key that is no column, and, where the length of the training is not known,
 * for one that needs it. command: whose help lists them, "predict". */
habitat_status columns_check(const row_list *rows, const habitat_report_options *options,
                             bool length_known, const char *command, habitat_error *err);

/* The columns asked for, each once, behind the `count` that keys begins with: what tells the rows
 * apart. keys: shape (TABLE_COLUMNS_MAX). @return how many; 0: none were asked for. */
size_t columns_choose(const habitat_report_options *options, const char **keys, size_t count);

#endif
