/* A command line as it may stand in a trace that others read: values that look like secrets and the
 * user's home folder are not shown. docs/recording.md gives the rules; the Python package follows
 * the same ones (python/habitat/recording/command.py), and both are tested on
 * tests/golden/commands_masked.txt. */
#ifndef HABITAT_RECORDER_REDACT_H
#define HABITAT_RECORDER_REDACT_H

/** The command as one line, quoted for a shell where need be.
 *  @param home  shown as "~"; NULL or "/": nothing is.
 *  @return to be freed; NULL when memory is used up. */
char *redact_command(char *const *argv, const char *home);

/** `text` with "~" for the home folder. @return to be freed; NULL when memory is used up. */
char *redact_home(const char *text, const char *home);

#endif
