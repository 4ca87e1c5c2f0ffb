/* Aligned text tables; see table.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "report/table.h"
#include "base/constants_reports.h"

enum { CELL_BYTES = 512, GAP = 1, SHRINK_LEAST = 12 };

/* First and last code points of blocks that take two columns. */
static const struct {
    uint32_t first, last;
} wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xac00, 0xd7a3},
            {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6},
            {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

static size_t code_point(const char *text, uint32_t *out) {
    const unsigned char *s = (const unsigned char *)text;
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    uint32_t value = length == 1 ? s[0] : (uint32_t)(s[0] & (0xff >> (length + 1)));
    for (size_t i = 1; i < length; i++) {
        if (s[i] == '\0')
            return i;
        value = value << 6 | (s[i] & 0x3f);
    }
    *out = value;
    return length;
}

static size_t code_point_width(uint32_t c) {
    if ((c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200f) || c == 0xfe0f)
        return 0;
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
        if (c >= wide[i].first && c <= wide[i].last)
            return 2;
    return 1;
}

size_t display_width(const char *text) {
    size_t width = 0;
    while (*text) {
        uint32_t c = '?';
        text += code_point(text, &c);
        width += code_point_width(c);
    }
    return width;
}

/* Bytes of `text` that fit into `columns`. */
static size_t fitting_bytes(const char *text, size_t columns) {
    size_t width = 0, used = 0;
    while (text[used]) {
        uint32_t c = '?';
        size_t length = code_point(text + used, &c);
        width += code_point_width(c);
        if (width > columns)
            break;
        used += length;
    }
    return used;
}

void table_start(text_table *t, const table_column *columns, size_t count) {
    *t = (text_table){.columns = columns, .column_count = count};
}

void table_row(text_table *t, table_style style) {
    if (t->failed)
        return;
    if (t->row_count == t->capacity) {
        size_t capacity = t->capacity ? 2 * t->capacity : 32;
        char **cells = realloc(t->cells, capacity * t->column_count * sizeof *cells);
        if (cells)
            t->cells = cells;
        char **notes = realloc(t->notes, capacity * sizeof *notes);
        if (notes)
            t->notes = notes;
        table_style *styles = realloc(t->styles, capacity * sizeof *styles);
        if (styles)
            t->styles = styles;
        if (!cells || !notes || !styles) {
            t->failed = true;
            return;
        }
        t->capacity = capacity;
    }
    for (size_t i = 0; i < t->column_count; i++)
        t->cells[t->row_count * t->column_count + i] = NULL;
    t->notes[t->row_count] = NULL;
    t->styles[t->row_count++] = style;
}

static void set_text(text_table *t, char **place, const char *text) {
    char cell[CELL_BYTES];
    size_t size = clean_text(cell, sizeof cell, text) + 1;
    char *copy = malloc(size);
    if (!copy) {
        t->failed = true;
        return;
    }
    memcpy(copy, cell, size);
    free(*place);
    *place = copy;
}

static void set_cell(text_table *t, size_t column, const char *text) {
    if (!t->failed && t->row_count > 0)
        set_text(t, &t->cells[(t->row_count - 1) * t->column_count + column], text);
}

void table_note(text_table *t, const char *text) {
    if (!t->failed && t->row_count > 0)
        set_text(t, &t->notes[t->row_count - 1], text);
}

void table_cell(text_table *t, size_t column, const char *format, ...) {
    char text[CELL_BYTES];
    va_list arguments;
    va_start(arguments, format);
    habitat_vformat(text, sizeof text, format, arguments);
    va_end(arguments);
    set_cell(t, column, text);
}

void table_number(text_table *t, size_t column, double value, int decimals) {
    if (isfinite(value))
        table_cell(t, column, "%.*f", decimals, value);
    else
        set_cell(t, column, "-");
}

void table_amount(text_table *t, size_t column, double value, int decimals) {
    if (value >= 1e7 && isfinite(value))
        table_cell(t, column, "%.3g", value);
    else
        table_number(t, column, value, decimals);
}

void table_room(text_table *t, size_t column, double gb) {
    table_number(
        t, column, gb,
        gb < 0.0 && gb > -chosen_shown_room_digit ? (gb > -chosen_shown_room_digits ? 3 : 1) : 0);
}

void ms_text(double ms, char *text, size_t size) {
    if (!isfinite(ms))
        snprintf(text, size, "-");
    else
        habitat_format(text, size, "%.*f",
                       ms < 1      ? 4
                       : ms < 10   ? 3
                       : ms < 100  ? 2
                       : ms < 1000 ? 1
                                   : 0,
                       ms);
}

int decimals_for(double ms, int digits) {
    if (!isfinite(ms) || ms <= 0)
        return 3;
    int decimals = digits - 1 - (int)floor(log10(ms));
    return decimals < 0 ? 0 : decimals > 6 ? 6 : decimals;
}

void table_ms(text_table *t, size_t column, double ms) {
    char text[64];
    ms_text(ms, text, sizeof text);
    set_cell(t, column, text);
}

void ratio_text(double ratio, char *text, size_t size) {
    if (!isfinite(ratio))
        snprintf(text, size, "-");
    else
        habitat_format(text, size, "%.*fx", ratio < 10 ? 2 : ratio < 100 ? 1 : 0, ratio);
}

void bar_text(double share, size_t columns, char *text, size_t size) {
    size_t length = share > 0 ? (size_t)(share * (double)columns + 0.5) : 0;
    if (length > columns)
        length = columns;
    if (length >= size)
        length = size - 1;
    memset(text, '#', length);
    text[length] = '\0';
}

void styled_text(writer *w, table_style style, const char *text) {
    static const char *const start[] = {"", "\033[1m", "\033[32m", "\033[31m", "\033[2m"};
    bool on = w->colour && style != STYLE_PLAIN;
    if (on)
        writer_text(w, start[style]);
    writer_text(w, text);
    if (on)
        writer_text(w, "\033[0m");
}

static void spaces(writer *w, size_t count) {
    for (; count > 0; count--)
        writer_bytes(w, " ", 1);
}

void wrapped_text(writer *w, const char *first, size_t indent, const char *text) {
    writer_text(w, first);
    size_t column = display_width(first);
    bool start = true;
    for (const char *word = text; *word;) {
        size_t length = strcspn(word, " ");
        char buffer[CELL_BYTES];
        snprintf(buffer, sizeof buffer, "%.*s", (int)(length < CELL_BYTES ? length : CELL_BYTES),
                 word);
        size_t width = display_width(buffer);
        if (!start && column + 1 + width > w->width) {
            writer_bytes(w, "\n", 1);
            spaces(w, indent);
            column = indent;
        } else if (!start) {
            writer_bytes(w, " ", 1);
            column++;
        }
        writer_bytes(w, word, length);
        column += width;
        start = false;
        word += length;
        word += strspn(word, " ");
    }
    writer_bytes(w, "\n", 1);
}

/* One line of a header: line 0 is the upper one of two, and empty where there is one line only. */
static void header_line(const char *header, int line, int lines, char *out, size_t size) {
    const char *second = strchr(header, '\n');
    out[0] = '\0';
    if (second && line == 0)
        snprintf(out, size, "%.*s", (int)(second - header), header);
    else if (line == lines - 1)
        snprintf(out, size, "%s", second ? second + 1 : header);
}

/* How the columns stand. */
typedef struct layout {
    size_t widths[TABLE_COLUMNS_MAX];
    bool hidden[TABLE_COLUMNS_MAX];
    size_t gap; /* space between columns */
    int header_lines;
} layout;

static void measure(const text_table *t, layout *l) {
    char text[CELL_BYTES];
    l->header_lines = 1;
    for (size_t c = 0; c < t->column_count; c++) {
        if (strchr(t->columns[c].header, '\n'))
            l->header_lines = 2;
        l->widths[c] = 0;
        for (int line = 0; line < 2; line++) {
            header_line(t->columns[c].header, line, 2, text, sizeof text);
            size_t width = display_width(text);
            l->widths[c] = width > l->widths[c] ? width : l->widths[c];
        }
        for (size_t r = 0; r < t->row_count; r++) {
            const char *cell = t->cells[r * t->column_count + c];
            size_t width = cell ? display_width(cell) : 0;
            l->widths[c] = width > l->widths[c] ? width : l->widths[c];
        }
    }
}

/* Of all columns with so much space between two. */
static size_t width_of(const text_table *t, const layout *l, size_t gap) {
    size_t total = 0, count = 0;
    for (size_t c = 0; c < t->column_count; c++) {
        total += l->hidden[c] ? 0 : l->widths[c];
        count += !l->hidden[c];
    }
    return count ? total + gap * (count - 1) : 0;
}

/* Leaves out the column that the table can do without most easily. @return false: there is none. */
static bool hide_one(const text_table *t, layout *l) {
    size_t which = 0;
    int most = 0;
    for (size_t c = 0; t->yields && c < t->column_count; c++)
        if (!l->hidden[c] && t->yields[c].spare > most) {
            most = t->yields[c].spare;
            which = c;
        }
    l->hidden[which] |= most > 0;
    return most > 0;
}

/* Two spaces between columns where they fit, else one; then fewer columns, then narrower ones. */
static void fit(const text_table *t, layout *l, size_t available) {
    l->gap = width_of(t, l, 2) <= available ? 2 : GAP;
    while (width_of(t, l, l->gap) > available && hide_one(t, l))
        continue;
    for (size_t c = 0; c < t->column_count; c++)
        while (t->columns[c].shrink && !l->hidden[c] && l->widths[c] > SHRINK_LEAST &&
               width_of(t, l, l->gap) > available)
            l->widths[c]--;
}

static bool wraps(const text_table *t, size_t column) {
    return t->yields && t->yields[column].wrap;
}

/* Bytes of a name that stand in the first of its lines: up to its last separator, if one is near.
 */
static size_t wrapped_bytes(const char *text, size_t width) {
    size_t most = fitting_bytes(text, width);
    for (size_t used = most; used > most / 2; used--)
        if (text[used - 1] == '.' || text[used - 1] == '/')
            return used;
    return most;
}

static void write_cell(const text_table *t, writer *w, size_t column, size_t width,
                       const char *text, bool last) {
    size_t needed = display_width(text);
    if (needed > width && wraps(t, column)) {
        char first[CELL_BYTES];
        snprintf(first, sizeof first, "%.*s", (int)wrapped_bytes(text, width), text);
        writer_text(w, first);
        spaces(w, last ? 0 : width - display_width(first));
        return;
    }
    if (needed > width) {
        size_t bytes = fitting_bytes(text, width - 2);
        writer_bytes(w, text, bytes);
        writer_text(w, "..");
        return;
    }
    if (t->columns[column].right)
        spaces(w, width - needed);
    writer_text(w, text);
    if (!t->columns[column].right && !last)
        spaces(w, width - needed);
}

static void write_line(const text_table *t, writer *w, const layout *l, char *const *cells) {
    size_t last = t->column_count;
    bool first = true;
    while (last > 0 && (l->hidden[last - 1] || !cells[last - 1] || cells[last - 1][0] == '\0'))
        last--;
    for (size_t c = 0; c < last; c++) {
        if (l->hidden[c])
            continue;
        spaces(w, first ? 0 : l->gap);
        first = false;
        write_cell(t, w, c, l->widths[c], cells[c] ? cells[c] : "", c + 1 == last);
    }
}

static void write_header(const text_table *t, writer *w, const layout *l) {
    static const char *const style[] = {"", "\033[1m", "\033[0m"};
    for (int line = 0; line < l->header_lines; line++) {
        char texts[TABLE_COLUMNS_MAX][64];
        char *cells[TABLE_COLUMNS_MAX];
        for (size_t c = 0; c < t->column_count; c++) {
            header_line(t->columns[c].header, line, l->header_lines, texts[c], sizeof texts[c]);
            cells[c] = texts[c];
        }
        writer_text(w, style[w->colour ? 1 : 0]);
        write_line(t, w, l, cells);
        writer_text(w, style[w->colour ? 2 : 0]);
        writer_bytes(w, "\n", 1);
    }
}

static void write_note(writer *w, const char *note) {
    bool cut = 2 + display_width(note) > w->width;
    writer_text(w, w->colour ? "\033[2m  " : "  ");
    writer_bytes(w, note, cut ? fitting_bytes(note, w->width - 4) : strlen(note));
    writer_text(w, cut ? ".." : "");
    writer_text(w, w->colour ? "\033[0m\n" : "\n");
}

/* What did not fit into the line of a row, below it. */
static void write_rest(const text_table *t, writer *w, const layout *l, char *const *cells) {
    for (size_t c = 0; c < t->column_count; c++)
        if (wraps(t, c) && cells[c] && display_width(cells[c]) > l->widths[c])
            write_note(w, cells[c] + wrapped_bytes(cells[c], l->widths[c]));
}

void table_write(text_table *t, writer *w) {
    static const char *const start[] = {"", "\033[1m", "\033[32m", "\033[31m", "\033[2m"};
    layout l = {.gap = GAP};
    if (t->failed) {
        w->status = HABITAT_E_MEMORY;
    } else {
        measure(t, &l);
        fit(t, &l, w->width);
        write_header(t, w, &l);
        for (size_t r = 0; r < t->row_count; r++) {
            bool on = w->colour && t->styles[r] != STYLE_PLAIN;
            if (on)
                writer_text(w, start[t->styles[r]]);
            write_line(t, w, &l, t->cells + r * t->column_count);
            writer_text(w, on ? "\033[0m\n" : "\n");
            write_rest(t, w, &l, t->cells + r * t->column_count);
            if (t->notes[r])
                write_note(w, t->notes[r]);
        }
    }
    for (size_t i = 0; i < t->row_count * t->column_count; i++)
        free(t->cells[i]);
    for (size_t i = 0; i < t->row_count; i++)
        free(t->notes[i]);
    free(t->cells);
    free(t->notes);
    free(t->styles);
    *t = (text_table){0};
}
