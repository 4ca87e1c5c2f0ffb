/* habitat choose: which GPU to take and why. As text it fits one screen: columns, rows and lines
 * give way until it does. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "ask/choice_words.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "report/choice_rows.h"
#include "report/columns.h"
#include "report/page.h"
#include "report/price_notes.h"
#include "report/screen.h"
#include "report/shared_pieces.h"
#include "report/shortlist.h"

enum {
    DEFAULT_TOP = 7,
    LEAST_ROWS = 4, /* of the table, before lines below it give way */
    TEXT_BYTES = 512,
    NAMES_BY_SAMPLE = 3, /* of the front, each with its number and batch size */
};

/* ---- what stands around the table ---- */

/* " on NAME, NAME": the GPUs of the recordings, once each. */
static void origin_names(const habitat_choice *c, char *text, size_t size) {
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < c->answer_count && used + 64 < size; i++) {
        const char *name = origin_name(habitat_workload_get_info(c->answers[i]->workload));
        bool said = !name;
        for (size_t k = 0; !said && k < i; k++) {
            const char *other = origin_name(habitat_workload_get_info(c->answers[k]->workload));
            said = other && strcmp(name, other) == 0;
        }
        if (!said)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%.48s", used ? ", " : " on ", name);
    }
}

/* What all rows have in common that is not as recorded. */
static int text_asked(const habitat_choice *c, char *text, size_t size) {
    char batch[48] = "", precision[48] = "";
    if (!c->answers[0]->row_count)
        return 0;
    const habitat_answer_key *key = &c->answers[0]->rows[0].key;
    if (key->batch_size && !c->batches_differ)
        snprintf(batch, sizeof batch, ", batch size %llu", (unsigned long long)key->batch_size);
    if (key->precision)
        snprintf(precision, sizeof precision, ", %s", habitat_precision_name(key->precision));
    return habitat_format(text, size, "%s%s", batch, precision);
}

static void text_head(writer *w, const habitat_choice *c) {
    char line[3 * TEXT_BYTES], name[FILE_NAME_BYTES], origins[TEXT_BYTES], more[32] = "";
    file_name(c->answers[0]->trace, name);
    origin_names(c, origins, sizeof origins);
    if (c->answer_count > 1)
        snprintf(more, sizeof more, " and %zu more", c->answer_count - 1);
    int used =
        snprintf(line, sizeof line, "By %s%s: %s%s%s", habitat_objective_name(c->options.objective),
                 c->per_sample ? " of a sample" : "", name, more, origins);
    used += text_asked(c, line + used, sizeof line - (size_t)used);
    if (c->per_sample && !isnan(c->steps))
        habitat_format(line + used, sizeof line - (size_t)used, ", %.0f samples", c->samples);
    else if (!isnan(c->steps))
        habitat_format(line + used, sizeof line - (size_t)used, ", %.0f iterations", c->steps);
    wrapped_text(w, "", 0, line);
    writer_text(w, "\n");
}

static void text_reason(writer *w, const habitat_choice *c) {
    wrapped_text(w, choice_take(c), 0, c->reason);
}

/* GPUs of which no other is both faster and cheaper. */
static void front_words(const habitat_choice *c, char *line, size_t size) {
    char name[CHOICE_NAME_BYTES];
    size_t used = 0, count = 0, more = 0, most = c->per_sample ? NAMES_BY_SAMPLE : c->row_count;
    *line = '\0';
    for (size_t i = 0; i < c->row_count; i++) {
        bool room = count < most && used + 96 + sizeof name < size;
        more += c->rows[i].pareto && !room;
        if (!c->rows[i].pareto || !room)
            continue;
        choice_name(c, &c->rows[i].key, name);
        used += (size_t)snprintf(line + used, size - used, "%s%s", count++ ? ", " : "", name);
    }
    if (more)
        used += (size_t)snprintf(line + used, size - used, " and %zu more", more);
    if (count)
        snprintf(line + used, size - used, ": no other GPU is both faster and cheaper");
}

static const habitat_choice_row *row_at(const choice_listing *list, size_t i) {
    return &list->choice->rows[list->order ? list->order[i] : i];
}

/* What the marks of the rows shown mean. */
static void mark_words(const choice_listing *list, size_t shown, char *line, size_t size) {
    bool plain = false, vendor = false, cpu = false;
    for (size_t i = 0; i < shown; i++) {
        const habitat_choice_row *row = row_at(list, i);
        plain |= !row->calibrated;
        vendor |= row->other_vendor;
        cpu |= row->cpu_sets;
    }
    snprintf(line, size, "%s%s%s%s%s", plain ? "~ interval not calibrated" : "",
             plain && (vendor || cpu) ? "; " : "", vendor ? "v another vendor's, not checked" : "",
             vendor && cpu ? "; " : "", cpu ? "CPU: the recorded CPU sets the time" : "");
}

/* The table has no marks: how to see which intervals are a default width. */
static void plain_words(const choice_listing *list, size_t shown, char *line, size_t size) {
    *line = '\0';
    for (size_t i = 0; i < shown; i++)
        if (!row_at(list, i)->calibrated)
            snprintf(line, size, "some intervals are not calibrated: --columns marks");
}

static void price_words(const choice_listing *list, size_t shown, char *line, size_t size) {
    price_notes notes = {{NULL}, 0};
    for (size_t i = 0; i < shown; i++)
        price_notes_add(&notes, &row_at(list, i)->cost);
    price_notes_text(&notes, line, size);
}

/* ---- formats that a GPU of the front lacks ---- */

enum { FORMAT_LINES = 4, NAMES_TOLD = 4 };

/* What one or several GPUs do not compute as it was recorded, in the same words but for the names:
 * "no bf16 units on " NAME ": amp-bf16 is amp-fp16 there". */
typedef struct format_line {
    const char *text; /* of one GPU: its first words, up to its name, and what follows that */
    size_t before, after, count;
    char names[TEXT_BYTES / 2], line[2 * TEXT_BYTES];
} format_line;

typedef struct format_lines {
    format_line of[FORMAT_LINES];
    size_t count;
} format_lines;

static bool is_of_format(habitat_warning_kind kind) {
    return kind == HABITAT_WARNING_NO_FP16 || kind == HABITAT_WARNING_NO_BF16 ||
           kind == HABITAT_WARNING_NO_FP8 || kind == HABITAT_WARNING_NO_INT8 ||
           kind == HABITAT_WARNING_PRECISION;
}

static bool is_told(const format_line *line, const char *name) {
    size_t length = strlen(name);
    for (const char *at = line->names; (at = strstr(at, name)); at += length)
        if ((at == line->names || at[-1] == ' ') && (!at[length] || at[length] == ','))
            return true;
    return false;
}

static void add_format(format_lines *lines, const char *text, const char *name) {
    const char *at = strstr(text, name);
    size_t before = at ? (size_t)(at - text) : 0, after = before + strlen(name), i = 0;
    if (!at)
        return;
    while (i < lines->count &&
           (lines->of[i].before != before || strncmp(lines->of[i].text, text, before) != 0 ||
            strcmp(lines->of[i].text + lines->of[i].after, text + after) != 0))
        i++;
    format_line *line = &lines->of[i];
    if (i == FORMAT_LINES || (i < lines->count && is_told(line, name)))
        return;
    if (i == lines->count) {
        *line = (format_line){.text = text, .before = before, .after = after};
        lines->count++;
    }
    size_t used = strlen(line->names);
    if (line->count++ < NAMES_TOLD)
        snprintf(line->names + used, sizeof line->names - used, "%s%s", used ? ", " : "", name);
}

static void add_row_formats(format_lines *lines, const habitat_choice *c,
                            const habitat_answer_key *key) {
    for (size_t a = 0; a < c->answer_count; a++)
        for (size_t r = 0; r < c->answers[a]->row_count; r++) {
            const habitat_answer_row *row = &c->answers[a]->rows[r];
            for (size_t i = 0; row->key.gpu == key->gpu && i < row->warning_count; i++)
                if (is_of_format(row->warning_kinds[i]))
                    add_format(lines, row->warnings[i], key->gpu->name);
        }
}

/* Of the GPU that is recommended and of all of the front: the first ones a reader would take. */
static void format_words(const habitat_choice *c, format_lines *lines) {
    lines->count = 0;
    for (size_t i = 0; i < c->row_count; i++)
        if (i == 0 || c->rows[i].pareto)
            add_row_formats(lines, c, &c->rows[i].key);
    for (size_t i = 0; i < lines->count; i++) {
        format_line *line = &lines->of[i];
        char more[32] = "";
        if (line->count > NAMES_TOLD)
            snprintf(more, sizeof more, " and %zu more", line->count - NAMES_TOLD);
        snprintf(line->line, sizeof line->line, "%.*s%s%s%s", (int)line->before, line->text,
                 line->names, more, line->text + line->after);
    }
}

/* ---- the lines below the table ---- */

/* How willingly a line gives way to fit the screen: the highest first, of equals the last. */
enum { STAYS = 0, A_NOTE, A_CHANGE, A_PRICE, A_LIST };

typedef struct foot_line {
    const char *first, *text; /* first: "Note: " */
    int gives_way;
} foot_line;

typedef struct foot {
    foot_line lines[CHOICE_CHANGES_MAX + CHOICE_NOTES_MAX + FORMAT_LINES + 8];
    size_t count;
    bool marks_shown; /* their words are told */
    bool plain;       /* the table has nothing on whether intervals are calibrated */
    bool warned;      /* some answer has warnings: they are told elsewhere */
    bool in_full;     /* no, all of them here */
    format_lines formats;
    char front[2 * TEXT_BYTES], excluded[TEXT_BYTES], prices[TEXT_BYTES], marks[TEXT_BYTES / 2];
} foot;

static void add_line(foot *f, const char *first, const char *text, int gives_way) {
    if (*text)
        f->lines[f->count++] = (foot_line){first, text, gives_way};
}

static void make_foot(const choice_listing *list, size_t shown, foot *f) {
    const habitat_choice *c = list->choice;
    f->count = 0;
    f->warned = false;
    front_words(c, f->front, sizeof f->front);
    choice_excluded_words(c, f->excluded, sizeof f->excluded);
    f->marks[0] = '\0';
    if (f->marks_shown)
        mark_words(list, shown, f->marks, sizeof f->marks);
    else if (f->plain)
        plain_words(list, shown, f->marks, sizeof f->marks);
    price_words(list, shown, f->prices, sizeof f->prices);
    add_line(f, "Front: ", f->front, A_LIST);
    for (size_t i = 0; i < c->change_count; i++)
        add_line(f, "", c->changes[i], A_CHANGE);
    add_line(f, "Left out: ", f->excluded, STAYS);
    add_line(f, "", f->marks, STAYS);
    format_words(c, &f->formats);
    for (size_t i = 0; i < f->formats.count; i++)
        add_line(f, "Note: ", f->formats.of[i].line, STAYS);
    add_line(f, "Note: ", choice_at_least_words(c), STAYS);
    for (size_t i = 0; i < c->note_count; i++)
        add_line(f, "Note: ", c->notes[i], A_NOTE);
    add_line(f, "Note: ", f->prices, A_PRICE);
    for (size_t i = 0; i < c->answer_count; i++)
        f->warned = f->warned || c->answers[i]->warning_count;
}

/* @return false: no line gives way. */
static bool drop_line(foot *f) {
    size_t at = 0;
    for (size_t i = 1; i < f->count; i++)
        if (f->lines[i].gives_way >= f->lines[at].gives_way)
            at = i;
    if (!f->count || f->lines[at].gives_way == STAYS)
        return false;
    memmove(f->lines + at, f->lines + at + 1, (--f->count - at) * sizeof *f->lines);
    f->warned = true;
    return true;
}

static bool is_line(const foot *f, const char *text) {
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->lines[i].text, text) == 0)
            return true;
    return false;
}

/* All that the answers warn of, each once. */
static void text_all_notes(writer *w, const habitat_choice *c, const foot *f) {
    char clean[4 * TEXT_BYTES];
    for (size_t a = 0; a < c->answer_count; a++)
        for (size_t i = 0; i < c->answers[a]->warning_count; i++) {
            const char *text = c->answers[a]->warnings[i].text;
            if (warned_before(c->answers, a, text) || is_line(f, text))
                continue;
            clean_text(clean, sizeof clean, text);
            wrapped_text(w, "Note: ", 6, clean);
        }
}

static void text_foot(writer *w, const habitat_choice *c, const foot *f) {
    for (size_t i = 0; i < f->count; i++)
        wrapped_text(w, f->lines[i].first, strlen(f->lines[i].first), f->lines[i].text);
    if (f->in_full)
        text_all_notes(w, c, f);
    else if (f->warned)
        wrapped_text(w, "Note: ", 6, "more on these times in `habitat predict` and in --json");
}

/* ---- the whole, on one screen ---- */

typedef struct layout {
    choice_listing list;
    const char *columns[TABLE_COLUMNS_MAX]; /* shape (column_count): keys of those asked for */
    size_t column_count;                    /* 0: the usual */
    size_t shown;
    foot below;
    bool reason_below; /* of a table longer than a screen: what scrolls is the top */
} layout;

static void text_table_of(writer *w, const layout *l) {
    ranked_line line;
    row_list rows = choice_rows(&l->list, &line);
    rows.count = l->shown;
    rows.only = l->column_count ? l->columns : NULL;
    rows.only_count = l->column_count;
    if (l->shown)
        rows_text(w, &rows);
}

static void text_whole(writer *w, const layout *l) {
    const habitat_choice *c = l->list.choice;
    text_head(w, c);
    if (!l->reason_below) {
        text_reason(w, c);
        writer_text(w, "\n");
    }
    text_table_of(w, l);
    writer_text(w, l->shown ? "\n" : "");
    if (l->reason_below) {
        text_reason(w, c);
        writer_text(w, "\n");
    }
    text_foot(w, c, &l->below);
}

/* How much room a text takes. */
static screen room_of(writer *w, const layout *l, void (*text)(writer *, const layout *)) {
    screen s;
    writer trial = screen_writer(w, &s);
    text(&trial, l);
    if (trial.status != HABITAT_OK)
        writer_stop(w, trial.status);
    return s;
}

static bool fits_screen(writer *w, const layout *l) {
    return room_of(w, l, text_whole).lines <= SCREEN_LINES;
}

/* ---- another order ---- */

typedef struct ranked {
    double key;
    size_t row;
} ranked;

static double key_of(const habitat_choice *c, sort_by by, const habitat_choice_row *row) {
    switch (by) {
    case SORT_TIME:
        return choice_time_of(c, row);
    case SORT_COST:
        return choice_usd_of(c, row);
    case SORT_PRICE:
        return row->cost.usd_per_hour;
    case SORT_ENERGY:
        return row->cost.energy_j / choice_unit(c, row->samples);
    default:
        return sort_key_of_gpu(by, row->key.gpu);
    }
}

/* The smallest first, what is not known last; of equal ones as ranked. */
static int by_key(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->key != y->key && !(isnan(x->key) && isnan(y->key)))
        return isnan(y->key) || x->key < y->key ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static void sort_by_name(const habitat_choice *c, ranked *rows) {
    for (size_t i = 0; i < c->row_count; i++) {
        rows[i].key = 0;
        for (size_t k = 0; k < c->row_count; k++)
            rows[i].key += strcmp(c->rows[k].key.gpu->name, c->rows[i].key.gpu->name) < 0;
    }
}

/* The caller frees it. NULL without memory. */
static size_t *order_of(const habitat_choice *c, sort_by by) {
    ranked *rows = calloc(c->row_count + 1, sizeof *rows);
    size_t *order = calloc(c->row_count + 1, sizeof *order);
    if (!rows || !order) {
        free(rows);
        free(order);
        return NULL;
    }
    for (size_t i = 0; i < c->row_count; i++)
        rows[i] = (ranked){key_of(c, by, &c->rows[i]), i};
    if (by == SORT_NAME)
        sort_by_name(c, rows);
    qsort(rows, c->row_count, sizeof *rows, by_key);
    for (size_t i = 0; i < c->row_count; i++)
        order[i] = rows[i].row;
    free(rows);
    return order;
}

static void write_text(writer *w, const habitat_choice *c, const habitat_report_options *options,
                       const size_t *order) {
    layout l = {.list = {.choice = c, .equals = choice_equals(c), .order = order}};
    size_t top = options->top, most = top ? top : DEFAULT_TOP;
    l.column_count = columns_choose(options, l.columns, choice_first_columns(c, l.columns));
    l.below.plain =
        l.column_count && !columns_chosen(options, "marks") && !columns_chosen(options, "interval");
    l.below.marks_shown = !l.column_count || columns_chosen(options, "marks");
    l.below.in_full = top == SIZE_MAX; /* --all */
    l.shown = most < c->row_count ? most : c->row_count;
    while (l.list.narrow < NARROWEST && room_of(w, &l, text_table_of).widest > w->width)
        l.list.narrow++;
    make_foot(&l.list, l.shown, &l.below);
    while (!top && l.shown > LEAST_ROWS && !fits_screen(w, &l))
        make_foot(&l.list, --l.shown, &l.below);
    while (!top && !fits_screen(w, &l) && drop_line(&l.below))
        ;
    l.reason_below = !fits_screen(w, &l);
    text_whole(w, &l);
}

/* ---- the report ---- */

/* A key of --columns that is none: of any report, as a slip of the pen is told where there is no
 * table, too. */
static habitat_status check_columns(const habitat_choice *c, const habitat_report_options *options,
                                    habitat_error *err) {
    choice_listing list = {.choice = c};
    ranked_line line;
    row_list rows = choice_rows(&list, &line);
    return columns_check(&rows, options, !isnan(c->steps), "choose", err);
}

habitat_status habitat_report_choice(const habitat_choice *choice,
                                     const habitat_report_options *options, habitat_error *err) {
    writer w;
    ranked_line line;
    if (!choice || !options)
        return habitat_fail(err, HABITAT_E_ARG,
                            choice ? "a report needs options with a write callback"
                                   : "no choice given");
    if (options->sort && sort_check(options->sort, err) != HABITAT_OK)
        return HABITAT_E_ARG;
    habitat_status status = check_columns(choice, options, err);
    if (status != HABITAT_OK)
        return status;
    if (page_asked(options))
        return page_choice(choice, options, err);
    status = writer_start(&w, options, err);
    if (status != HABITAT_OK)
        return status;
    if (options->format == HABITAT_REPORT_JSON) {
        choice_json(&w, choice);
    } else if (options->format == HABITAT_REPORT_CSV) {
        choice_listing list = {.choice = choice};
        row_list rows = choice_rows(&list, &line);
        rows.count = choice->row_count + choice->excluded_count;
        rows_csv_header(&w, &rows);
        rows_csv(&w, &rows);
    } else if (!options->sort) {
        write_text(&w, choice, options, NULL);
    } else {
        size_t *order = order_of(choice, sort_named(options->sort));
        if (order)
            write_text(&w, choice, options, order);
        else
            writer_stop(&w, HABITAT_E_MEMORY);
        free(order);
    }
    return writer_finish(&w, err);
}
