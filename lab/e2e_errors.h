/* Errors of judging whole iterations: with the file, or the row of a table, that they are about. */
#ifndef HABITAT_LAB_E2E_ERRORS_H
#define HABITAT_LAB_E2E_ERRORS_H

#include <habitat/status.h>

/* The error with the file it is about, where it names none; with its line, as a
 * message about a row of a table names it: FILE:LINE. */
habitat_status e2e_name_file(habitat_status status, habitat_error *err, const char *file);
habitat_status e2e_name_row(habitat_status status, habitat_error *err, const char *file);

#endif
