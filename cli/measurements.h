/* Measurements for train and eval: folders and files into one dataset. */
#ifndef HABITAT_CLI_MEASUREMENTS_H
#define HABITAT_CLI_MEASUREMENTS_H

#include "cli.h"
#include "lab/lab.h"

/* Read every table of the operands (a folder stands for its *.csv and *.csv.gz with operations in
 * them) and check the set. @return CLI_DONE, or an exit code after a message. */
int cli_read_measurements(const habitat_gpu_table *table, const cli_list *operands,
                          habitat_dataset **out);

/* One line on a terminal's stderr, overwritten; nothing elsewhere. */
void cli_training_progress(void *context, const char *what, double share);

#endif
