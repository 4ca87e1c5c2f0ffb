/* habitat: hands over to the command named first; answers --help and --version itself. */
#include <stdio.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli.h"
#include "commands.h"

typedef struct command {
    const char *verb;
    int (*run)(int argc, char **argv);
} command;

#define COMMAND_ROW(verb, function) {verb, function},
static const command commands[] = {CLI_COMMANDS(COMMAND_ROW){NULL, NULL}};
static const size_t command_count = sizeof commands / sizeof commands[0] - 1;

static int run(int argc, char **argv) {
    if (argc < 2)
        return cli_fail(CLI_USAGE, NULL, "no command; try `habitat --help`");
    const char *verb = argv[1];
    if (strcmp(verb, "--version") == 0 || strcmp(verb, "-V") == 0) {
        printf("habitat %s\n", habitat_version());
        return CLI_DONE;
    }
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0)
        return cli_help_print("");
    if (strcmp(verb, "help") == 0)
        return cli_help_print(argc > 2 ? argv[2] : "");
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(verb, commands[i].verb) == 0)
            return commands[i].run(argc - 2, argv + 2);
    const char *kind = verb[0] == '-' ? "option" : "command";
    const char *near = cli_nearest(verb, commands, command_count, sizeof commands[0]);
    if (near)
        return cli_fail(CLI_USAGE, verb, "no such %s; did you mean `habitat %s`?", kind, near);
    return cli_fail(CLI_USAGE, verb, "no such %s; `habitat --help` lists the commands", kind);
}

/* Arrays with an element for each event are freed one by one: given back at once, from this size
 * on, they leave no holes between those that stay. glibc's own limit grows to 32 MiB. */
static void give_back_arrays(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

int main(int argc, char **argv) {
    give_back_arrays();
    cli_start_output();
    return cli_finish_output(run(argc, argv));
}
