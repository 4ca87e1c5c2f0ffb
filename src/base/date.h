/* Dates as files and options write them: YYYY, YYYY-MM or YYYY-MM-DD. */
#ifndef HABITAT_BASE_DATE_H
#define HABITAT_BASE_DATE_H

#include <stdbool.h>

/* False where `text` is NULL or no day of the calendar (2023-02-29). A month or a day that is left
 * out is the first one. */
bool date_read(const char *text, int *year, int *month, int *day);

#endif
