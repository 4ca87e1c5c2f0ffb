/* The commands, in the order `habitat --help` lists them. To add one: write cmd_<verb>.c with
 * `int cmd_<verb>(int argc, char **argv)` (argv without the verb), its page
 * docs/man/habitat-<verb>.1.md, and a line here. */
#ifndef HABITAT_CLI_COMMANDS_H
#define HABITAT_CLI_COMMANDS_H

#ifdef HABITAT_NO_COMMANDS
#define CLI_COMMANDS(X)
#else
/* X(verb, function) */
#define CLI_COMMANDS(X) X("gpus", cmd_gpus)
#endif

#define CLI_DECLARE(verb, function) int function(int argc, char **argv);
CLI_COMMANDS(CLI_DECLARE)
#undef CLI_DECLARE

#endif
