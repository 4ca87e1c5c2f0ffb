/* Shared steps of the commands; see common.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

int cli_format(bool json, bool csv, habitat_report_format *out) {
    if (json && csv)
        return cli_fail(CLI_USAGE, "--csv", "does not go with --json; choose one");
    *out = json ? HABITAT_REPORT_JSON : csv ? HABITAT_REPORT_CSV : HABITAT_REPORT_TEXT;
    return CLI_DONE;
}

habitat_report_options cli_report_options(habitat_report_format format) {
    return (habitat_report_options){
        .format = format, .width = cli_width(), .colour = cli_colour(), .write = cli_write_stdout};
}

int cli_report_result(habitat_status status, const habitat_error *error) {
    if (status == HABITAT_OK || status == HABITAT_E_IO)
        return status == HABITAT_OK ? CLI_DONE : CLI_FAILED;
    return cli_fail_error(error, NULL);
}

int cli_note(cli_notes *notes, const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    habitat_vformat(line, sizeof line, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < notes->count; i++)
        if (strcmp(notes->lines[i], line) == 0)
            return CLI_DONE;
    char **lines = realloc(notes->lines, (notes->count + 1) * sizeof *lines);
    char *copy = strdup(line);
    if (lines)
        notes->lines = lines;
    if (!lines || !copy) {
        free(copy);
        return cli_fail(CLI_FAILED, NULL, "out of memory");
    }
    lines[notes->count++] = copy;
    cli_warn("%s", line);
    return CLI_DONE;
}

void cli_notes_free(cli_notes *notes) {
    for (size_t i = 0; i < notes->count; i++)
        free(notes->lines[i]);
    free(notes->lines);
    *notes = (cli_notes){0};
}

static void note_skipped(const habitat_gpu_table *table, cli_notes *notes) {
    size_t count = 0;
    const habitat_gpu_skipped *skipped = habitat_gpu_skipped_files(table, &count);
    for (size_t i = 0; i < count; i++)
        cli_note(notes, "%s: skipped: %s", skipped[i].file, skipped[i].message);
}

/* Whether there may be GPUs beside the library's own. */
static bool has_own(const cli_list *files) {
    char folder[4096];
    return files->count ||
           (habitat_gpu_user_dir(folder, sizeof folder) == HABITAT_OK && access(folder, R_OK) == 0);
}

/* What `habitat gpus --check` says of files of the user's: of the library's own it says nothing. */
static int note_doubtful(const habitat_gpu_table *table, cli_notes *notes) {
    enum { SHOWN = 4 };
    habitat_gpu_finding findings[SHOWN];
    size_t count = SHOWN;
    habitat_gpu_check(table, findings, &count);
    int code = CLI_DONE;
    for (size_t i = 0; code == CLI_DONE && i < count && i < SHOWN; i++)
        code = cli_note(notes, "%s: %s", findings[i].gpu, findings[i].message);
    if (code == CLI_DONE && count > SHOWN)
        code = cli_note(notes, "%zu more findings about GPUs of files: habitat gpus --check",
                        count - SHOWN);
    return code;
}

static int open_gpus(const cli_list *files, habitat_gpu_table **out, cli_notes *notes) {
    char folder[4096];
    habitat_error error = {0};
    habitat_gpu_table *table = NULL;
    const char *user = habitat_gpu_user_dir(folder, sizeof folder) == HABITAT_OK ? folder : NULL;
    if (habitat_gpu_table_create(user, &table, &error) != HABITAT_OK)
        return cli_fail_error(&error, user);
    note_skipped(table, notes);
    for (size_t i = 0; i < files->count; i++)
        if (habitat_gpu_table_add_file(table, files->items[i], NULL, &error) != HABITAT_OK) {
            habitat_gpu_table_free(table);
            return cli_fail_error(&error, files->items[i]);
        }
    *out = table;
    return CLI_DONE;
}

int cli_open_gpus(const cli_list *files, habitat_gpu_table **out) {
    cli_notes notes = {0};
    int code = open_gpus(files, out, &notes);
    cli_notes_free(&notes);
    return code;
}

int cli_open_gpus_noting(const cli_list *files, habitat_gpu_table **out, cli_notes *notes) {
    habitat_gpu_table *table = NULL;
    int code = open_gpus(files, &table, notes);
    if (code == CLI_DONE && has_own(files))
        code = note_doubtful(table, notes);
    if (code == CLI_DONE)
        *out = table;
    else
        habitat_gpu_table_free(table);
    return code;
}

int cli_find_gpu(const habitat_gpu_table *table, const char *name, const habitat_gpu **out,
                 cli_notes *notes) {
    habitat_error error = {0};
    bool alias = false;
    if (habitat_gpu_find(table, name, out, &alias, &error) != HABITAT_OK)
        return cli_fail_error(&error, NULL);
    if (alias && !habitat_gpu_name_is_exact(*out, name))
        return cli_note(notes, "%s: taken as %s", name, habitat_gpu_name(*out));
    return CLI_DONE;
}

static bool holds(const habitat_gpu *const *gpus, size_t count, const habitat_gpu *gpu) {
    for (size_t i = 0; i < count; i++)
        if (gpus[i] == gpu)
            return true;
    return false;
}

int cli_find_gpus(const habitat_gpu_table *table, const cli_list *names, const habitat_gpu ***out,
                  size_t *count, cli_notes *notes) {
    size_t total = habitat_gpu_count(table), found = 0;
    bool all = names->count == 0;
    habitat_error error = {0};
    for (size_t i = 0; i < names->count; i++) { /* before anything is said of the others */
        const habitat_gpu *gpu = NULL;
        if (strcmp(names->items[i], "all") != 0 &&
            habitat_gpu_find(table, names->items[i], &gpu, NULL, &error) != HABITAT_OK)
            return cli_fail_error(&error, NULL);
    }
    const habitat_gpu **gpus = calloc(total ? total : 1, sizeof *gpus);
    if (!gpus)
        return cli_fail(CLI_FAILED, NULL, "out of memory");
    for (size_t i = 0; i < names->count; i++) {
        const habitat_gpu *gpu = NULL;
        if (strcmp(names->items[i], "all") == 0) {
            all = true;
            continue;
        }
        int code = cli_find_gpu(table, names->items[i], &gpu, notes);
        if (code != CLI_DONE) {
            free(gpus);
            return code;
        }
        if (!holds(gpus, found, gpu))
            gpus[found++] = gpu;
    }
    for (size_t i = 0; all && i < total; i++)
        if (!holds(gpus, found, habitat_gpu_at(table, i)))
            gpus[found++] = habitat_gpu_at(table, i);
    *out = gpus;
    *count = found;
    return CLI_DONE;
}
