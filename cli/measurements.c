/* Measurements for train and eval; see measurements.h. */
#include "measurements.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Tables of a folder that may hold single operations, by their names. */
static bool is_candidate(const char *name) {
    static const char *const others[] = {"e2e_", "published_", "gpu_", "collectives", "recording"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strncmp(name, others[i], strlen(others[i])) == 0)
            return false;
    size_t length = strlen(name);
    return (length > 4 && strcmp(name + length - 4, ".csv") == 0) ||
           (length > 7 && strcmp(name + length - 7, ".csv.gz") == 0);
}

/* Whether a table of a folder is about operations: it has a column that names them. One that cannot
 * be opened counts, so that reading it says what is wrong. */
static bool names_operations(const char *path) {
    habitat_csv_reader *reader = NULL;
    size_t count = 0;
    if (habitat_csv_open(path, &reader, NULL) != HABITAT_OK)
        return true;
    const char *const *columns = habitat_csv_columns(reader, &count);
    bool found = false;
    for (size_t i = 0; i < count; i++)
        found |= strcmp(columns[i], "op") == 0 || strcmp(columns[i], "class") == 0;
    habitat_csv_close(reader);
    return found;
}

static int compare(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_file(habitat_dataset *data, const char *path) {
    habitat_error error = {0};
    if (habitat_dataset_add(data, path, &error) != HABITAT_OK)
        return cli_fail_row(&error, path);
    return CLI_DONE;
}

static int add_folder(habitat_dataset *data, const char *folder) {
    enum { MOST = 512 };
    char *names[MOST], path[4096];
    size_t count = 0;
    DIR *directory = opendir(folder);
    if (!directory)
        return cli_fail(CLI_INPUT, folder, "cannot open the folder");
    int code = CLI_DONE;
    for (struct dirent *entry; code == CLI_DONE && count < MOST && (entry = readdir(directory));) {
        if (!is_candidate(entry->d_name))
            continue;
        if ((names[count] = strdup(entry->d_name)))
            count++;
        else
            code = cli_fail(CLI_FAILED, NULL, "out of memory");
    }
    closedir(directory);
    qsort(names, count, sizeof names[0], compare);
    size_t tables = 0;
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (code == CLI_DONE && names_operations(path)) {
            code = add_file(data, path);
            tables++;
        }
        free(names[i]);
    }
    return code == CLI_DONE && !tables
               ? cli_fail(CLI_INPUT, folder, "no tables of measurements in it")
               : code;
}

int cli_read_measurements(const habitat_gpu_table *table, const cli_list *operands,
                          habitat_dataset **out) {
    habitat_error error = {0};
    habitat_dataset *data;
    if (habitat_dataset_create(table, &data, &error) != HABITAT_OK)
        return cli_fail_error(&error, NULL);
    int code = CLI_DONE;
    for (size_t i = 0; code == CLI_DONE && i < operands->count; i++) {
        struct stat found;
        const char *path = operands->items[i];
        bool folder = stat(path, &found) == 0 && S_ISDIR(found.st_mode);
        code = folder ? add_folder(data, path) : add_file(data, path);
    }
    if (code == CLI_DONE && habitat_dataset_check(data, &error) != HABITAT_OK)
        code = cli_fail(CLI_INPUT, NULL, "%s", error.message);
    if (code == CLI_DONE)
        *out = data;
    else
        habitat_dataset_free(data);
    return code;
}

void cli_training_progress(void *context, const char *what, double share) {
    (void)context;
    char line[80];
    habitat_format(line, sizeof line, "\r%3.0f %% %-24s", 100 * share, what);
    if (isatty(STDERR_FILENO))
        fputs(line, stderr);
}
