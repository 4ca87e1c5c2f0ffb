/* --help: prints the texts that tools/help_text.awk made from docs/man. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

const cli_help *cli_help_find(const char *verb) {
    for (size_t i = 0; i < cli_help_count; i++)
        if (strcmp(cli_help_table[i].verb, verb) == 0)
            return &cli_help_table[i];
    return NULL;
}

int cli_help_print(const char *verb) {
    const cli_help *help = cli_help_find(verb);
    if (!help)
        return cli_fail(CLI_USAGE, verb, "no such command; `habitat --help` lists the commands");
    fputs(help->text, stdout);
    return CLI_DONE;
}
