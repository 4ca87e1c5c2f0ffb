/* What every command shares: exit codes, messages, options, standard output.
 *
 * A command is one function in cmd_<verb>.c, listed in commands.h. It returns an exit code and
 * never calls exit(). Messages go to stderr as one line `habitat: FILE: what is wrong; what to do`;
 * results go to stdout and nothing else does. */
#ifndef HABITAT_CLI_H
#define HABITAT_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include <habitat/habitat.h>

/* Exit codes; docs/man/habitat.1.md lists them for users. */
enum {
    CLI_DONE = 0,
    CLI_FAILED = 1,  /* the work failed, or its result could not be written */
    CLI_USAGE = 2,   /* the command line is wrong */
    CLI_INPUT = 3,   /* a file cannot be read or is not what it should be */
    CLI_UNKNOWN = 4, /* no GPU or method of that name */
};

/* Print one error line and return `code`. `subject` is the file, option or name it is about, or
 * NULL; line breaks and control characters in the text are replaced. */
__attribute__((format(printf, 3, 4))) int cli_fail(int code, const char *subject,
                                                   const char *format, ...);

/* The same for a failed library call: `subject` is used when the error names no file. */
int cli_fail_error(const habitat_error *error, const char *subject);

/* What a command was to write could not be: `reason` is an errno. @return CLI_FAILED */
int cli_fail_write(const char *path, int reason);

/* The same for a row of a table: `habitat: FILE:LINE: message`. */
int cli_fail_row(const habitat_error *error, const char *subject);

/* Print `habitat: warning: ...` on stderr. */
__attribute__((format(printf, 1, 2))) void cli_warn(const char *format, ...);

/* ---- options.c ------------------------------------------------------------------------------ */

typedef struct cli_list {
    const char **items;
    size_t count;
} cli_list;

typedef enum cli_kind {
    CLI_FLAG,     /* bool: given or not */
    CLI_TEXT,     /* const char *: the last one given */
    CLI_LIST,     /* cli_list: every one given, commas split */
    CLI_COUNT,    /* size_t: a whole number >= 1 */
    CLI_SEED,     /* size_t: a whole number >= 0 */
    CLI_COUNTS,   /* cli_list of such: every one given, commas split */
    CLI_WHOLE,    /* double: likewise */
    CLI_NUMBER,   /* double: finite, >= 0 */
    CLI_POSITIVE, /* double: finite, > 0 */
    CLI_REST,     /* const char *: its value; all that follows are operands */
} cli_kind;

typedef struct cli_option {
    const char *name; /* "--to" */
    char letter;      /* 'o' for -o, 0 for none */
    cli_kind kind;
    void *target;
} cli_option;

/* An option that people look for here and that belongs elsewhere. */
typedef struct cli_elsewhere {
    const char *name;  /* "columns": without its dashes */
    const char *words; /* "belongs to `habitat predict`" */
} cli_elsewhere;

/* Options and operands of one command, as taken from the command line. */
typedef struct cli_arguments {
    const char *verb;
    const cli_option *options; /* shape (option_count) */
    size_t option_count;
    const cli_elsewhere *elsewhere; /* shape (elsewhere_count) */
    size_t elsewhere_count;
    bool stop_at_operand; /* everything from the first operand on is the operands' */
    bool rest;            /* a CLI_REST option was taken; its value is the first operand */
    cli_list operands;
    bool separated; /* a "--" came before the first operand */
    bool finished;  /* --help was asked for and answered: leave with CLI_DONE */
    char *storage;  /* copies of comma lists */
    size_t storage_used;
} cli_arguments;

/* Take argv[0..argc) (without the verb) apart. Options may stand before or after operands; after
 * `--` everything is an operand. `--help` is answered here. The targets point into argv or into
 * storage that cli_arguments_free() frees.
 * @return CLI_DONE, or CLI_USAGE after a message. */
int cli_parse(cli_arguments *arguments, int argc, char **argv);
void cli_arguments_free(cli_arguments *arguments);

/* Complain of anything but `least`..`most` operands; `what` names them ("TRACE"). */
int cli_expect_operands(const cli_arguments *arguments, size_t least, size_t most,
                        const char *what);

/* The candidate closest to `word`, or NULL when none is near. `names` holds `count` strings
 * `stride` bytes apart (the first member of structures in an array will do). */
const char *cli_nearest(const char *word, const void *names, size_t count, size_t stride);

/* ---- help.c (texts generated from docs/man) ------------------------------------------------- */

typedef struct cli_help {
    const char *verb;    /* "predict"; "" for habitat itself */
    const char *summary; /* one line, from NAME */
    const char *text;    /* what --help prints */
} cli_help;

extern const cli_help cli_help_table[];
extern const size_t cli_help_count;

const cli_help *cli_help_find(const char *verb);
int cli_help_print(const char *verb);

/* ---- terminal.c ----------------------------------------------------------------------------- */

/* Before anything else: make sure the three standard descriptors exist and that a closed pipe does
 * not end the program before it has tidied up. */
void cli_start_output(void);

/* What cli_start_output() changed, put back: for exec. */
void cli_restore_signals(void);

/* Flush stdout; `code` if all was written, else CLI_FAILED after a message. Where the reader of a
 * pipe has gone (`| head`), ends the program by SIGPIPE without a word. */
int cli_finish_output(int code);

/* printf() that knows no locale: numbers read the same wherever they are printed. */
__attribute__((format(printf, 1, 2))) void cli_print(const char *format, ...);

/* What is printed lacks a part, for this errno: cli_finish_output() will say so and fail. */
void cli_spoil_output(int reason);

/* Write callback over stdout, for the library's reports. */
int cli_write_stdout(void *context, const char *data, size_t size);

/* Columns of the terminal: 80 when stdout is not one; COLUMNS has the last word. */
unsigned cli_width(void);

/* True when stdout is a terminal that wants colour (NO_COLOR unset or empty, TERM not dumb). */
bool cli_colour(void);

#endif
