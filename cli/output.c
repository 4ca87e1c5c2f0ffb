/* Files that a command writes: none may be one that it reads. See output.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output.h"

/* Links and other spellings of a path are the same file. */
static bool is_file(const char *path, const struct stat *file) {
    struct stat other;
    return stat(path, &other) == 0 && other.st_dev == file->st_dev && other.st_ino == file->st_ino;
}

/* Folder of a path and, behind it, the name in the folder. The folder is the caller's; NULL without
 * memory. */
static char *folder_of(const char *path, const char **name) {
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    return slash ? strndup(path, (size_t)(*name - path)) : strdup(".");
}

bool cli_output_same(const char *a, const char *b) {
    struct stat file;
    const char *name_a, *name_b;
    if (strcmp(a, b) == 0 || strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
        return strcmp(a, b) == 0;
    if (stat(a, &file) == 0)
        return is_file(b, &file);
    char *folder_a = folder_of(a, &name_a), *folder_b = folder_of(b, &name_b);
    bool same = folder_a && folder_b && strcmp(name_a, name_b) == 0 && stat(folder_a, &file) == 0 &&
                is_file(folder_b, &file);
    free(folder_a);
    free(folder_b);
    return same;
}

/* choose takes "TRACE:WEIGHT". */
static bool is_operand(const char *operand, const struct stat *file) {
    const char *colon = strrchr(operand, ':');
    char *name = colon ? strndup(operand, (size_t)(colon - operand)) : NULL;
    bool same = is_file(operand, file) || (name && is_file(name, file));
    free(name);
    return same;
}

static bool is_any(const cli_list *list, const struct stat *file) {
    for (size_t i = 0; list && i < list->count; i++)
        if (is_operand(list->items[i], file))
            return true;
    return false;
}

int cli_output_check(const cli_request *request, const char *option, const char *path) {
    struct stat file;
    if (strcmp(path, "-") == 0 || stat(path, &file) != 0 || !S_ISREG(file.st_mode))
        return CLI_DONE;
    if (is_any(request->operands, &file) || is_any(&request->ranks, &file) ||
        is_any(&request->gpu_files, &file) || is_any(&request->prices, &file) ||
        (request->batch_from && is_file(request->batch_from, &file)))
        return cli_fail(CLI_USAGE, option, "%s is read by this command; name another file", path);
    return CLI_DONE;
}
