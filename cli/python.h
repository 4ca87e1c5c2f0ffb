/* Commands that live in the Python package. */
#ifndef HABITAT_CLI_PYTHON_H
#define HABITAT_CLI_PYTHON_H

#include "cli.h"

/* Run `python3 -m module argv..` in this process's place, with the package on Python's path:
 * HABITAT_PYTHON names another interpreter, HABITAT_PYTHONPATH another folder. Returns on failure
 * only, with an exit code after a message. */
int cli_run_python(const char *module, int argc, char **argv);

#endif
