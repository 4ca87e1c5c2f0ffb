/* Command lines: options anywhere, `--name value`, `--name=value`, `-x value`, comma lists, `--`.
 * getopt_long() is not used: it keeps state in globals and cannot say which option was meant. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Counts are exact in a double up to here. */
static const double COUNT_MAX = 1e15;

/* Longer words are never near anything. */
enum { WORD_MAX = 40 };

const char *cli_nearest(const char *word, const void *names, size_t count, size_t stride) {
    const char *best = NULL;
    size_t best_distance = strlen(word) < 6 ? 2 : 3;
    for (size_t i = 0; i < count; i++) {
        const char *name;
        memcpy(&name, (const char *)names + i * stride, sizeof name);
        size_t d = habitat_edit_distance(word, name);
        if (d <= best_distance && d < strlen(name)) {
            best = name;
            best_distance = d - (d > 0);
        }
    }
    return best;
}

static bool append(cli_list *list, const char *item) {
    const char **grown = realloc(list->items, (list->count + 1) * sizeof *grown);
    if (!grown)
        return false;
    grown[list->count++] = item;
    list->items = grown;
    return true;
}

static int out_of_memory(void) {
    return cli_fail(CLI_FAILED, NULL, "out of memory");
}

/* "a,b" becomes two items, as does "a, b": blanks around a part are not of it. No part is empty.
 * Copies go into the storage, which is as large as all arguments together. */
static int add_to_list(cli_arguments *a, const char *name, cli_list *list, const char *value) {
    const char *whole = value;
    if (!value[strspn(value, ", ")])
        return cli_fail(CLI_USAGE, name, "needs a value; `habitat %s --help` explains", a->verb);
    for (;;) {
        value += strspn(value, " ");
        size_t part = strcspn(value, ","), length = part;
        while (length > 0 && value[length - 1] == ' ')
            length--;
        if (length == 0)
            return cli_fail(CLI_USAGE, name, "\"%s\" has an empty part; leave out the comma",
                            whole);
        char *copy = a->storage + a->storage_used;
        memcpy(copy, value, length);
        copy[length] = '\0';
        a->storage_used += length + 1;
        if (!append(list, copy))
            return out_of_memory();
        if (!value[part])
            return CLI_DONE;
        value += part + 1;
    }
}

static int read_number(const char *verb, const cli_option *option, const char *value,
                       double *number) {
    bool seed = option->kind == CLI_SEED;
    bool whole = option->kind == CLI_COUNT || option->kind == CLI_COUNTS ||
                 option->kind == CLI_WHOLE || seed;
    bool good = habitat_is_number(value, number) && isfinite(*number) && *number >= 0;
    if (good && whole && *number > COUNT_MAX)
        return cli_fail(CLI_USAGE, option->name, "\"%s\" is more than 10^15; give less", value);
    if (whole)
        good = good && *number >= (seed ? 0 : 1) && floor(*number) == *number;
    if (option->kind == CLI_POSITIVE)
        good = good && *number > 0;
    const char *wanted = seed                           ? "a whole number of at least 0"
                         : whole                        ? "a whole number of at least 1"
                         : option->kind == CLI_POSITIVE ? "a number above 0"
                                                        : "a number of at least 0";
    if (!good)
        return cli_fail(CLI_USAGE, option->name, "\"%s\" is not %s; `habitat %s --help` explains",
                        value, wanted, verb);
    return CLI_DONE;
}

static int set_number(const char *verb, const cli_option *option, const char *value) {
    double number = NAN;
    int code = read_number(verb, option, value, &number);
    if (code != CLI_DONE)
        return code;
    if (option->kind == CLI_COUNT || option->kind == CLI_SEED)
        *(size_t *)option->target = (size_t)number;
    else
        *(double *)option->target = number;
    return CLI_DONE;
}

static int add_counts(cli_arguments *a, const cli_option *option, const char *value) {
    cli_list *list = option->target;
    size_t before = list->count;
    double number = NAN;
    int code = add_to_list(a, option->name, list, value);
    for (size_t i = before; code == CLI_DONE && i < list->count; i++)
        code = read_number(a->verb, option, list->items[i], &number);
    return code;
}

static int no_value(const cli_arguments *a, const cli_option *option) {
    return cli_fail(CLI_USAGE, option->name, "needs a value; `habitat %s --help` explains",
                    a->verb);
}

static int set_value(cli_arguments *a, const cli_option *option, const char *value) {
    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)option->target = true;
        return CLI_DONE;
    case CLI_TEXT:
        if (!*value)
            return no_value(a, option);
        *(const char **)option->target = value;
        return CLI_DONE;
    case CLI_REST:
        *(const char **)option->target = value;
        return CLI_DONE;
    case CLI_LIST:
        return add_to_list(a, option->name, option->target, value);
    case CLI_COUNTS:
        return add_counts(a, option, value);
    case CLI_COUNT:
    case CLI_SEED:
    case CLI_WHOLE:
    case CLI_NUMBER:
    case CLI_POSITIVE:
        return set_number(a->verb, option, value);
    }
    return CLI_DONE;
}

static const cli_option *find_option(const cli_arguments *a, const char *text, size_t length) {
    for (size_t i = 0; i < a->option_count; i++) {
        const cli_option *option = &a->options[i];
        if (strlen(option->name) == length && memcmp(option->name, text, length) == 0)
            return option;
        if (length == 2 && option->letter && text[1] == option->letter)
            return option;
    }
    return NULL;
}

static int unknown_option(const cli_arguments *a, const char *text, size_t length) {
    char name[WORD_MAX + 1];
    if (length > WORD_MAX)
        length = WORD_MAX;
    memcpy(name, text, length);
    name[length] = '\0';
    for (size_t i = 0; i < a->elsewhere_count; i++)
        if (strncmp(name, "--", 2) == 0 && strcmp(name + 2, a->elsewhere[i].name) == 0)
            return cli_fail(CLI_USAGE, name, "%s; leave it out", a->elsewhere[i].words);
    const char *near = cli_nearest(name, a->options, a->option_count, sizeof a->options[0]);
    if (near)
        return cli_fail(CLI_USAGE, name, "no such option; did you mean %s?", near);
    return cli_fail(CLI_USAGE, name, "no such option; `habitat %s --help` lists the options",
                    a->verb);
}

/* One option at argv[i]; `used` receives how many arguments it took. */
static int take_option(cli_arguments *a, int argc, char **argv, int i, int *used) {
    const char *text = argv[i];
    bool is_long = text[1] == '-';
    size_t length = is_long ? strcspn(text, "=") : 2;
    const cli_option *option = find_option(a, text, length);
    *used = 1;
    if (!option)
        return unknown_option(a, text, is_long ? length : strlen(text));
    const char *attached = is_long ? (text[length] == '=' ? text + length + 1 : NULL)
                                   : (text[2] != '\0' ? text + 2 : NULL);
    if (option->kind == CLI_FLAG) {
        if (attached)
            return cli_fail(CLI_USAGE, option->name, "takes no value; leave out \"%s\"", attached);
        return set_value(a, option, NULL);
    }
    if (!attached) {
        if (i + 1 >= argc)
            return no_value(a, option);
        attached = argv[i + 1];
        *used = 2;
    }
    if (option->kind == CLI_REST)
        a->rest = append(&a->operands, attached);
    return set_value(a, option, attached);
}

static bool wants_help(const char *text) {
    return strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0;
}

int cli_parse(cli_arguments *a, int argc, char **argv) {
    size_t total = 1;
    for (int i = 0; i < argc; i++)
        total += strlen(argv[i]) + 1;
    a->storage = malloc(total);
    if (!a->storage)
        return out_of_memory();
    bool only_operands = false;
    for (int i = 0; i < argc;) {
        const char *text = argv[i];
        if (only_operands || text[0] != '-' || text[1] == '\0') {
            if (!append(&a->operands, text))
                return out_of_memory();
            only_operands = only_operands || a->stop_at_operand;
            i++;
        } else if (strcmp(text, "--") == 0) {
            a->separated = a->operands.count == 0;
            only_operands = true;
            i++;
        } else if (wants_help(text)) {
            a->finished = true;
            return cli_help_print(a->verb);
        } else {
            int used, code = take_option(a, argc, argv, i, &used);
            if (code != CLI_DONE)
                return code;
            i += used;
            only_operands = a->rest;
        }
    }
    return CLI_DONE;
}

void cli_arguments_free(cli_arguments *a) {
    for (size_t i = 0; i < a->option_count; i++)
        if (a->options[i].kind == CLI_LIST || a->options[i].kind == CLI_COUNTS) {
            cli_list *list = a->options[i].target;
            free(list->items);
            *list = (cli_list){0};
        }
    free(a->operands.items);
    free(a->storage);
    a->operands = (cli_list){0};
    a->storage = NULL;
}

int cli_expect_operands(const cli_arguments *a, size_t least, size_t most, const char *what) {
    if (a->operands.count < least)
        return cli_fail(CLI_USAGE, a->verb, "needs %s; `habitat %s --help` explains", what,
                        a->verb);
    if (a->operands.count > most)
        return cli_fail(CLI_USAGE, a->operands.items[most],
                        "one argument too many; `habitat %s --help` explains", a->verb);
    return CLI_DONE;
}
