/* Files that a command writes: none may be one that it reads. See output.h. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

static bool are_one(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Links and other spellings of a path are the same file. */
static bool is_file(const char *path, const struct stat *file) {
    struct stat other;
    return stat(path, &other) == 0 && are_one(&other, file);
}

/* A shell that is told "<F" reads F as standard input, "-". */
static bool is_input(const char *path, const struct stat *file) {
    struct stat other;
    if (strcmp(path, "-") == 0)
        return fstat(STDIN_FILENO, &other) == 0 && are_one(&other, file);
    return is_file(path, file);
}

/* Folder of a path and, behind it, the name in the folder. The folder is the caller's; NULL without
 * memory. */
static char *folder_of(const char *path, const char **name) {
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    return slash ? strndup(path, (size_t)(*name - path)) : strdup(".");
}

/* What a link at `path` with the text `link` leads to. The caller's; NULL without memory. */
static char *followed(const char *path, const char *link) {
    const char *slash = strrchr(path, '/');
    size_t folder = slash && link[0] != '/' ? (size_t)(slash + 1 - path) : 0;
    size_t size = folder + strlen(link) + 1;
    char *made = malloc(size);
    if (made)
        snprintf(made, size, "%.*s%s", (int)folder, path, link);
    return made;
}

/* The file that writing to `path` would make: a link to no file makes what it leads to. The
 * caller's; NULL without memory, or where links go round. */
static char *target_of(const char *path) {
    enum { LINKS_MAX = 40 }; /* as Linux */
    char *at = strdup(path), link[PATH_MAX];
    for (int i = 0; at && i < LINKS_MAX; i++) {
        ssize_t length = readlink(at, link, sizeof link - 1);
        if (length < 0)
            return at;
        link[length] = '\0';
        char *next = followed(at, link);
        free(at);
        at = next;
    }
    free(at);
    return NULL;
}

/* Two paths where no file is yet: one folder, one name in it. */
static bool are_one_place(const char *a, const char *b) {
    struct stat folder;
    const char *name_a, *name_b;
    char *folder_a = folder_of(a, &name_a), *folder_b = folder_of(b, &name_b);
    bool same = folder_a && folder_b && strcmp(name_a, name_b) == 0 &&
                stat(folder_a, &folder) == 0 && is_file(folder_b, &folder);
    free(folder_a);
    free(folder_b);
    return same;
}

bool cli_output_same(const char *a, const char *b) {
    struct stat file;
    if (strcmp(a, b) == 0 || strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
        return strcmp(a, b) == 0;
    if (stat(a, &file) == 0)
        return is_file(b, &file);
    char *made_a = target_of(a), *made_b = target_of(b);
    bool same = made_a && made_b && are_one_place(made_a, made_b);
    free(made_a);
    free(made_b);
    return same;
}

/* choose takes "TRACE:WEIGHT". */
static bool is_operand(const char *operand, const struct stat *file) {
    const char *colon = strrchr(operand, ':');
    char *name = colon ? strndup(operand, (size_t)(colon - operand)) : NULL;
    bool same = is_input(operand, file) || (name && is_input(name, file));
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
        (request->batch_from && is_input(request->batch_from, &file)))
        return cli_fail(CLI_USAGE, option, "%s is read by this command; name another file", path);
    return CLI_DONE;
}
