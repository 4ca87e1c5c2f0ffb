/* Commands that live in the Python package. */
#ifndef HABITAT_CLI_PYTHON_H
#define HABITAT_CLI_PYTHON_H

#include "cli.h"

/* Run `python3 -m module argv..` in this process's place, with the package on Python's path:
 * HABITAT_PYTHON names another interpreter, HABITAT_PYTHONPATH another folder. Returns on failure
 * only, with an exit code after a message. */
int cli_run_python(const char *module, int argc, char **argv);

/* The same for a command that measures and writes a file. Its options are checked here, so that
 * mistakes cost nothing: no operands, and *output not NULL, else "needs `what`". Frees them. */
int cli_run_measuring(cli_arguments *arguments, int argc, char **argv, const char *const *output,
                      const char *what, const char *module);

#endif
