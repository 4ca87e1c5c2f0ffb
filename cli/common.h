/* What commands about GPUs and traces share: the table with the user's files, --json/--csv,
 * destinations, and the way from a trace file to a workload. */
#ifndef HABITAT_CLI_COMMON_H
#define HABITAT_CLI_COMMON_H

#include <habitat/report.h>

#include "cli.h"

/* --json and --csv: at most one of them. */
int cli_format(bool json, bool csv, habitat_report_format *out);

/* Options of a report to stdout. */
habitat_report_options cli_report_options(habitat_report_format format);

/* Message and exit code of a report that failed; nothing for what cli_finish_output() reports. */
int cli_report_result(habitat_status status, const habitat_error *error);

/* Notes for the user, printed on stderr and handed to reports: growing list of lines. */
typedef struct cli_notes {
    char **lines;
    size_t count;
} cli_notes;

/* Prints and keeps a line, unless it is there. @return CLI_DONE, or CLI_FAILED without memory. */
__attribute__((format(printf, 2, 3))) int cli_note(cli_notes *notes, const char *format, ...);
void cli_notes_free(cli_notes *notes);

/* The built-in GPUs, the user's own, and `files`. What was skipped of the user's folder is warned
 * of; the second form keeps these notes for a report, and adds what is doubtful of the files. */
int cli_open_gpus(const cli_list *files, habitat_gpu_table **out);
int cli_open_gpus_noting(const cli_list *files, habitat_gpu_table **out, cli_notes *notes);

/* GPU of one name; a name of several parts is noted ("V100: taken as V100-PCIE-32GB"). */
int cli_find_gpu(const habitat_gpu_table *table, const char *name, const habitat_gpu **out,
                 cli_notes *notes);

/* Destinations of --to: names, or all GPUs for "all" and for an empty list; each GPU once.
 * `out` is an array of *count pointers, the caller's to free. */
int cli_find_gpus(const habitat_gpu_table *table, const cli_list *names, const habitat_gpu ***out,
                  size_t *count, cli_notes *notes);

#endif
