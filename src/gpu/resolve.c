/* Names that users write to GPUs: names and aliases, bare numbers, and the nearest of unknown ones.
 */
#include "gpu/entry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "base/error.h"

static const char digits[] = "0123456789";

/* Digits of the first number in both names if it is the same, as in "1234 Ti" and "ABC1234". */
static size_t shared_number(const char *wanted, const char *plain) {
    wanted += strcspn(wanted, digits);
    plain += strcspn(plain, digits);
    size_t length = strspn(wanted, digits);
    return length == strspn(plain, digits) && strncmp(wanted, plain, length) == 0 ? length : 0;
}

/* How far `wanted` is from an entry's names, in edits, twice over; a name that begins like it, or
 * has the same number of four digits, is half an edit away, so that "X10-SXM" finds the X10s
 * before an X1; one that `wanted` holds stays near however long the rest ("BOX X10"). Of two as
 * near, the one of fewer edits. */
static size_t distance(const gpu_entry *entry, const char *wanted) {
    char plain[GPU_NAME_LENGTH];
    size_t least = SIZE_MAX, wanted_length = strlen(wanted);
    for (size_t i = 0; i <= entry->alias_count; i++) {
        gpu_normalise(i ? entry->aliases[i - 1] : entry->gpu.name, plain);
        size_t edits = habitat_edit_distance(wanted, plain), near = 2 * edits;
        size_t length = strlen(plain);
        size_t common = wanted_length < length ? wanted_length : length;
        size_t number = shared_number(wanted, plain);
        if (near > 1 && common >= 2 && strncmp(wanted, plain, common) == 0)
            near = 1 + (wanted_length > length);
        if (near > 1 && number >= 4)
            near = 1;
        if (near > 2 && length >= 4 && strstr(wanted, plain))
            near = 2;
        if (near > 3 && number == 3)
            near = 3;
        near = near * GPU_NAME_LENGTH + edits;
        if (near < least)
            least = near;
    }
    return least;
}

/* The GPU whose name is letters followed by `name`: "4090", "5070 Ti"; NULL if there is none, and
 * for a bare number if parts of other letters have it, as "6000"; the 4090 D is no other answer. */
static const gpu_entry *numbered(const habitat_gpu_table *table, const char *name) {
    char wanted[GPU_NAME_LENGTH], plain[GPU_NAME_LENGTH], letters[GPU_NAME_LENGTH] = "";
    gpu_normalise(name, wanted);
    const gpu_entry *found = NULL;
    size_t number = strspn(wanted, digits);
    if (number < 3)
        return NULL;
    for (size_t i = 0; i < table->count; i++) {
        gpu_normalise(table->entries[i]->gpu.name, plain);
        size_t start = strcspn(plain, digits);
        if (strcmp(plain + start, wanted) != 0)
            continue;
        if (found)
            return NULL;
        found = table->entries[i];
        memcpy(letters, plain, start);
    }
    for (size_t i = 0; found && !wanted[number] && i < table->count; i++) {
        gpu_normalise(table->entries[i]->gpu.name, plain);
        size_t start = strcspn(plain, digits);
        bool same_letters = strlen(letters) == start && strncmp(plain, letters, start) == 0;
        if (shared_number(wanted, plain) && !same_letters)
            return NULL;
    }
    return found;
}

static bool is_known(const habitat_gpu_table *table, const char *name) {
    bool other_name;
    return gpu_named(table, name, &other_name) || numbered(table, name);
}

/* Markets write how many into the name: "8xNAME", "1x NAME", "NAME:8". Whether it is so, and a GPU
 * is called what is left; false too where the number is none. */
static bool is_counted(const habitat_gpu_table *table, const char *name, char *kind, size_t size,
                       unsigned long *count) {
    const char *colon = strchr(name, ':'), *number = colon ? colon + 1 : name;
    size_t length = strspn(number, digits);
    const char *rest = number + length;
    if (length < 1 || length > 5)
        return false;
    *count = strtoul(number, NULL, 10);
    if (*count == 0)
        return false;
    if (colon) {
        snprintf(kind, size, "%.*s", (int)(colon - name), name);
        return !*rest && is_known(table, kind);
    }
    rest += strspn(rest, " ");
    if (*rest != 'x' && *rest != 'X')
        return false;
    rest++;
    rest += strspn(rest, " ");
    snprintf(kind, size, "%s", rest);
    return is_known(table, kind);
}

/* Fills `err` with "unknown GPU ..." and the nearest names. */
static habitat_status unknown(const habitat_gpu_table *table, const char *name,
                              habitat_error *err) {
    enum { SHOWN = 3 };
    const gpu_entry *nearest[SHOWN] = {NULL};
    size_t distances[SHOWN] = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
    char wanted[GPU_NAME_LENGTH], list[256] = "", kind[GPU_NAME_LENGTH];
    unsigned long count;
    if (is_counted(table, name, kind, sizeof kind, &count))
        return habitat_fail(err, HABITAT_E_UNKNOWN_GPU,
                            "unknown GPU \"%.100s\"; name one GPU, \"%s\", and say how many with "
                            "--gpus %lu (of predict, choose, export)",
                            name, kind, count);
    gpu_normalise(name, wanted);
    for (size_t i = 0; i < table->count; i++) {
        size_t d = distance(table->entries[i], wanted);
        for (size_t k = 0; k < SHOWN; k++)
            if (d < distances[k]) {
                memmove(&distances[k + 1], &distances[k], (SHOWN - 1 - k) * sizeof *distances);
                memmove(&nearest[k + 1], &nearest[k], (SHOWN - 1 - k) * sizeof *nearest);
                distances[k] = d;
                nearest[k] = table->entries[i];
                break;
            }
    }
    /* nothing is near whose letters are mostly other ones */
    size_t most = strlen(wanted) * GPU_NAME_LENGTH + GPU_NAME_LENGTH;
    for (size_t k = 0, used = 0; k < SHOWN && nearest[k] && distances[k] < most; k++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                 nearest[k]->gpu.name);
    return habitat_fail(err, HABITAT_E_UNKNOWN_GPU,
                        "unknown GPU \"%.100s\"%s%s; `habitat gpus` lists all, --gpu-file adds one",
                        name, list[0] ? "; nearest: " : "", list);
}

habitat_status habitat_gpu_find(const habitat_gpu_table *table, const char *name,
                                const habitat_gpu **out, bool *alias, habitat_error *err) {
    bool other_name = true;
    if (!table || !name || !out)
        return habitat_fail(err, HABITAT_E_ARG,
                            "a table, a name and a place for the GPU are needed");
    const gpu_entry *entry = gpu_named(table, name, &other_name);
    if (!entry)
        entry = numbered(table, name);
    const habitat_gpu_skipped *skipped = gpu_skipped_for(table, name, entry);
    if (skipped)
        return habitat_fail_at(err, skipped->status, skipped->file, UINT64_MAX, 0,
                               "describes %.60s and was skipped: %.200s", skipped->gpu,
                               skipped->message);
    if (!entry)
        return unknown(table, name, err);
    *out = &entry->gpu;
    if (alias)
        *alias = other_name;
    return HABITAT_OK;
}

bool habitat_gpu_name_is_shared(const habitat_gpu *gpu, const char *name) {
    char wanted[GPU_NAME_LENGTH], plain[GPU_NAME_LENGTH];
    if (!gpu || !name)
        return false;
    gpu_normalise(name, wanted);
    const gpu_entry *entry = gpu_entry_of(gpu);
    if (gpu_is_canonical(entry, wanted))
        return false;
    for (size_t i = 0; i < entry->family_start; i++)
        if (strcmp(entry->aliases[i], name) == 0) /* "MAKER NAME" is one part, "NAME" may be two */
            return false;
    for (size_t i = entry->family_start; i < entry->alias_count; i++) {
        gpu_normalise(entry->aliases[i], plain);
        if (strcmp(plain, wanted) == 0)
            return true;
    }
    return false;
}

bool habitat_gpu_name_is_exact(const habitat_gpu *gpu, const char *name) {
    char wanted[GPU_NAME_LENGTH];
    if (!gpu || !name)
        return false;
    gpu_normalise(name, wanted);
    const gpu_entry *entry = gpu_entry_of(gpu);
    return gpu_is_canonical(entry, wanted) ||
           (gpu_alias_index(entry, wanted) < entry->family_start &&
            !habitat_gpu_name_is_shared(gpu, name));
}
