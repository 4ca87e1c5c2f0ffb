/* Commands that live in the Python package: found, put on Python's path, and run in this process's
 * place. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "python.h"

static bool holds_package(const char *folder) {
    char probe[4200];
    int length = snprintf(probe, sizeof probe, "%s/habitat/recording/__main__.py", folder);
    return length < (int)sizeof probe && access(probe, R_OK) == 0;
}

/* ../share/habitat/python of the running program: an installation that was moved. */
static bool beside_program(char *path, size_t size) {
    char program[2048];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return false;
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return snprintf(path, size, "%s/../share/habitat/python", program) < (int)size;
}

/* The package is where HABITAT_PYTHONPATH says, else where habitat was installed or built; where it
 * is none of these, Python finds what pip installed. */
static bool package_folder(char *path, size_t size) {
    static const char *const places[] = {HABITAT_PYTHON_DIR, HABITAT_PYTHON_SOURCE_DIR};
    const char *given = getenv("HABITAT_PYTHONPATH");
    if (given && *given)
        return snprintf(path, size, "%s", given) < (int)size;
    if (beside_program(path, size) && holds_package(path))
        return true;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (holds_package(places[i]))
            return snprintf(path, size, "%s", places[i]) < (int)size;
    return false;
}

/* After what is there already: a package of the user's own environment comes first. */
static bool extend_python_path(void) {
    char folder[4096];
    const char *present = getenv("PYTHONPATH");
    if (!package_folder(folder, sizeof folder))
        return true;
    if (!present || !*present)
        return setenv("PYTHONPATH", folder, 1) == 0;
    size_t size = strlen(present) + strlen(folder) + 2;
    char *joined = malloc(size);
    if (!joined)
        return false;
    snprintf(joined, size, "%s:%s", present, folder);
    bool set = setenv("PYTHONPATH", joined, 1) == 0;
    free(joined);
    return set;
}

int cli_run_python(const char *module, int argc, char **argv) {
    const char *python = getenv("HABITAT_PYTHON");
    if (!python || !*python)
        python = "python3";
    char **command = calloc((size_t)argc + 4, sizeof *command);
    if (!command || !extend_python_path()) {
        free(command);
        return cli_fail(CLI_FAILED, NULL, "out of memory");
    }
    static char module_option[] = "-m";
    size_t n = 0;
    command[n++] = (char *)(size_t)(const void *)python;
    command[n++] = module_option;
    command[n++] = (char *)(size_t)(const void *)module;
    for (int i = 0; i < argc; i++)
        command[n++] = argv[i];
    fflush(stdout);
    cli_restore_signals();
    execvp(python, command);
    int reason = errno;
    free(command);
    return cli_fail(CLI_FAILED, python,
                    "cannot run: %s; install Python 3 with PyTorch, or name "
                    "its interpreter in HABITAT_PYTHON",
                    strerror(reason));
}

int cli_run_measuring(cli_arguments *arguments, int argc, char **argv, const char *const *output,
                      const char *what, const char *module) {
    int code = cli_parse(arguments, argc, argv);
    bool run = code == CLI_DONE && !arguments->finished;
    if (run)
        code = cli_expect_operands(arguments, 0, 0, NULL);
    cli_arguments_free(arguments);
    if (!run || code != CLI_DONE)
        return code;
    if (!*output)
        return cli_fail(CLI_USAGE, arguments->verb, "needs %s", what);
    return cli_run_python(module, argc, argv);
}
