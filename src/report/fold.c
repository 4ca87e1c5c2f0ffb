/* Repeated blocks as one row; see fold.h. */
#include "report/fold.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"

enum { NAME_BYTES = 512, INDICES_BYTES = 64 };

/* One row's name, split at its number: "net.blocks.*.up", and the number where the star stands. */
typedef struct split_name {
    const char *pattern; /* interned; NULL: no number in the name */
    size_t star;         /* where in the pattern */
    bool last;           /* the number is the name's last part */
    long number;         /* of the first part that is one */
    uint32_t head;       /* row that stands for all of the pattern; NONE until found */
} split_name;

typedef struct folding {
    split *s;
    split_name *names; /* shape (row_count) */
    habitat_table table;
    bool failed;
} folding;

/* ---- names ---- */

static bool is_separator(char c) {
    return c == '.' || c == '/';
}

/* Length of the part at `text` if it is a number of up to six digits, else 0. */
static size_t number_at(const char *text) {
    size_t length = strspn(text, "0123456789");
    return length <= 6 && (text[length] == '\0' || is_separator(text[length])) ? length : 0;
}

/* "net.blocks.12.up" -> "net.blocks.*.up", 12. Further numbers stay: blocks are folded, not the
 * layers inside of them. @return false: there is none. */
static bool split_at_number(const char *name, char *pattern, size_t size, split_name *out) {
    for (const char *at = name; *at; at++) {
        size_t length = at == name || is_separator(at[-1]) ? number_at(at) : 0;
        if (length == 0)
            continue;
        out->number = strtol(at, NULL, 10);
        out->star = (size_t)(at - name);
        out->last = at[length] == '\0';
        int n = snprintf(pattern, size, "%.*s*%s", (int)(at - name), name, at + length);
        return n > 0 && (size_t)n < size;
    }
    return false;
}

static void split_names(folding *f) {
    char pattern[NAME_BYTES];
    for (size_t r = 0; r < f->s->row_count && !f->failed; r++) {
        split_name *a = &f->names[r];
        *a = (split_name){.head = HABITAT_NONE};
        if (!split_at_number(f->s->rows[r].name, pattern, sizeof pattern, a))
            continue;
        a->pattern = habitat_strings_intern(&f->s->strings, pattern, strlen(pattern));
        f->failed = !a->pattern;
    }
}

/* ---- which rows are alike ---- */

/* Layers of one name in their blocks are alike. A number alone also counts the layers of a
 * sequence, which may be anything: those must be of one class, too. */
typedef struct wanted {
    const folding *f;
    uint32_t row;
} wanted;

static bool alike(const void *elements, uint32_t index, const void *key) {
    const split_row *rows = elements;
    const wanted *want = key;
    return want->f->names[index].pattern == want->f->names[want->row].pattern &&
           (!want->f->names[index].last || rows[index].op_class == rows[want->row].op_class) &&
           rows[index].calls == rows[want->row].calls;
}

static void find_heads(folding *f) {
    split_row *rows = f->s->rows;
    for (uint32_t r = 0; r < f->s->row_count && !f->failed; r++) {
        if (!f->names[r].pattern)
            continue;
        wanted want = {f, r};
        uint64_t hash = habitat_hash_number(0, (uintptr_t)f->names[r].pattern);
        hash = habitat_hash_number(hash, rows[r].calls);
        uint32_t head = habitat_table_find(&f->table, hash, alike, rows, &want);
        if (head == HABITAT_NONE)
            f->failed = !habitat_table_put(&f->table, hash, r);
        f->names[r].head = head == HABITAT_NONE ? r : head;
    }
}

/* ---- merging ---- */

static double sum_known(double a, double b) {
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

/* Adds `from` to `to`; shares are put together by the time they are shares of. */
static void merge(split_row *to, const split_row *from) {
    double ms = to->origin_ms + from->origin_ms;
    double compute =
        sum_known(to->compute_share * to->origin_ms, from->compute_share * from->origin_ms);
    double memory =
        sum_known(to->memory_share * to->origin_ms, from->memory_share * from->origin_ms);
    to->kernels += from->kernels;
    to->calls += from->calls;
    to->flop = sum_known(to->flop, from->flop);
    to->bytes = sum_known(to->bytes, from->bytes);
    to->no_flop_ms += from->no_flop_ms;
    to->no_bytes_ms += from->no_bytes_ms;
    to->no_compute_ms += from->no_compute_ms;
    to->no_memory_ms += from->no_memory_ms;
    to->origin_ms = ms;
    to->compute_share = ms > 0.0 ? compute / ms : (double)NAN;
    to->memory_share = ms > 0.0 ? memory / ms : (double)NAN;
    if (from->iteration < to->iteration)
        to->iteration = from->iteration;
}

static int by_number(const void *a, const void *b) {
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

/* "0-3,7": sorted numbers in short; ".." where there is no room. */
static void indices(const long *numbers, size_t count, char *text, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        size_t end = i;
        while (end + 1 < count && numbers[end + 1] == numbers[end] + 1)
            end++;
        char range[32];
        snprintf(range, sizeof range, end > i ? "%s%ld-%ld" : "%s%ld", i ? "," : "", numbers[i],
                 numbers[end]);
        bool room = used + strlen(range) + 3 < size;
        used += (size_t)snprintf(text + used, size - used, "%s", room ? range : "..");
        if (!room)
            return;
        i = end;
    }
}

/* The name of a folded row: its pattern with the numbers in place of the star. */
static void name_row(folding *f, split_row *row, const split_name *a, long *numbers, size_t count) {
    char name[NAME_BYTES + INDICES_BYTES], list[INDICES_BYTES];
    qsort(numbers, count, sizeof *numbers, by_number);
    indices(numbers, count, list, sizeof list);
    snprintf(name, sizeof name, "%.*s%s%s", (int)a->star, a->pattern, list,
             a->pattern + a->star + 1);
    row->name = habitat_strings_intern(&f->s->strings, name, strlen(name));
    f->failed |= !row->name;
}

/* Every row behind head `at` goes into it. numbers: room for all rows. */
static void fold_behind(folding *f, uint32_t at, long *numbers) {
    size_t count = 0;
    numbers[count++] = f->names[at].number;
    for (uint32_t r = at + 1; r < f->s->row_count; r++) {
        if (f->names[r].head != at)
            continue;
        merge(&f->s->rows[at], &f->s->rows[r]);
        numbers[count++] = f->names[r].number;
    }
    if (count > 1)
        name_row(f, &f->s->rows[at], &f->names[at], numbers, count);
}

/* Rows that went into others are closed up, and kernels follow. new_index: shape (row_count). */
static void close_up(folding *f, uint32_t *new_index) {
    split *s = f->s;
    size_t kernel_count, kept = 0;
    habitat_workload_kernels(s->workload, &kernel_count);
    for (uint32_t r = 0; r < s->row_count; r++) {
        uint32_t head = f->names[r].head;
        if (head == HABITAT_NONE || head == r) {
            s->rows[kept] = s->rows[r];
            new_index[r] = (uint32_t)kept++;
        } else {
            new_index[r] = new_index[head]; /* heads come first */
        }
    }
    for (size_t i = 0; i < kernel_count; i++)
        s->row_of[i] = new_index[s->row_of[i]];
    s->row_count = kept;
}

habitat_status split_fold(split *s, habitat_error *err) {
    size_t n = s->row_count ? s->row_count : 1;
    folding f = {.s = s, .names = malloc(n * sizeof *f.names)};
    long *numbers = malloc(n * sizeof *numbers);
    uint32_t *new_index = malloc(n * sizeof *new_index);
    f.failed = !f.names || !numbers || !new_index || !habitat_table_reserve(&f.table, n);
    if (!f.failed)
        split_names(&f);
    if (!f.failed)
        find_heads(&f);
    for (uint32_t r = 0; r < s->row_count && !f.failed; r++)
        if (f.names[r].head == r)
            fold_behind(&f, r, numbers);
    if (!f.failed)
        close_up(&f, new_index);
    habitat_table_free(&f.table);
    free(f.names);
    free(numbers);
    free(new_index);
    return f.failed ? habitat_fail(err, HABITAT_E_MEMORY, "out of memory") : HABITAT_OK;
}
