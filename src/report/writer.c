/* Output of reports; see writer.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "base/shortest.h"
#include "base/error.h"
#include "report/writer.h"

habitat_status writer_start(writer *w, const habitat_report_options *options, habitat_error *err) {
    if (!options || !options->write)
        return habitat_fail(err, HABITAT_E_ARG, "a report needs options with a write callback");
    if (options->format == HABITAT_REPORT_HTML)
        return habitat_fail(err, HABITAT_E_ARG, "this report has no HTML form");
    *w = (writer){.write = options->write,
                  .context = options->context,
                  .colour = options->colour && options->format == HABITAT_REPORT_TEXT,
                  .width = options->width ? options->width : 80};
    return HABITAT_OK;
}

void writer_stop(writer *w, habitat_status status) {
    if (w->status == HABITAT_OK)
        w->status = status;
}

void writer_bytes(writer *w, const char *data, size_t size) {
    if (w->status == HABITAT_OK && size > 0 && w->write(w->context, data, size) != 0)
        w->status = HABITAT_E_IO;
}

void writer_text(writer *w, const char *text) {
    writer_bytes(w, text, strlen(text));
}

void writer_printf(writer *w, const char *format, ...) {
    char local[512];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = habitat_vformat(local, sizeof local, format, arguments);
    va_end(arguments);
    if (size >= 0 && (size_t)size < sizeof local) {
        writer_bytes(w, local, (size_t)size);
    } else if (size >= 0) {
        char *text = malloc((size_t)size + 1);
        if (text) {
            habitat_vformat(text, (size_t)size + 1, format, again);
            writer_bytes(w, text, (size_t)size);
            free(text);
        } else {
            w->status = HABITAT_E_MEMORY;
        }
    }
    va_end(again);
}

/* ---- UTF-8 ---- */

size_t utf8_length(const unsigned char *s) {
    if (s[0] < 0x80)
        return 1;
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] > 0x9f;
    bool beyond = s[0] == 0xf4 && s[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : length;
}

static bool valid_utf8(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        size_t length = utf8_length(s);
        if (length == 0)
            return false;
        s += length;
    }
    return true;
}

bool utf8_control(const unsigned char *s) {
    return *s < 0x20 || *s == 0x7f || (*s == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0);
}

static size_t clean(char *out, size_t size, const char *text, bool keep_controls) {
    static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
    const unsigned char *s = (const unsigned char *)text;
    size_t used = 0;
    while (*s) {
        size_t length = utf8_length(s);
        const char *piece = (const char *)s;
        size_t piece_length = length;
        if (length == 0) {
            piece = replacement;
            piece_length = 3;
        } else if (!keep_controls && utf8_control(s)) {
            piece = "?";
            piece_length = 1;
        }
        if (used + piece_length >= size)
            break;
        memcpy(out + used, piece, piece_length);
        used += piece_length;
        s += length ? length : 1;
    }
    out[used] = '\0';
    return used;
}

size_t clean_text(char *out, size_t size, const char *text) {
    return clean(out, size, text, false);
}

/* ---- JSON ---- */

/* What yajl made, with the control characters that JSON allows and terminals obey (DEL, U+0080 to
 * U+009F) as \u escapes; they stand inside strings only, and yajl never cuts a character. */
static void json_write(writer *w, const char *data, size_t size) {
    const unsigned char *s = (const unsigned char *)data;
    size_t plain = 0;
    for (size_t i = 0; i < size; i++) {
        bool two = s[i] == 0xc2 && i + 1 < size && s[i + 1] >= 0x80 && s[i + 1] < 0xa0;
        if (s[i] != 0x7f && !two)
            continue;
        writer_bytes(w, data + plain, i - plain);
        writer_printf(w, "\\u%04x", two ? s[i + 1] : s[i]);
        i += two;
        plain = i + 1;
    }
    writer_bytes(w, data + plain, size - plain);
}

static void json_flush(writer *w) {
    json_write(w, w->json_room, w->json_used);
    w->json_used = 0;
}

/* yajl prints a level of indentation at a time: such pieces are gathered. */
static void json_print(void *context, const char *data, size_t size) {
    writer *w = context;
    if (size > sizeof w->json_room - w->json_used)
        json_flush(w);
    if (size > sizeof w->json_room) {
        json_write(w, data, size);
        return;
    }
    memcpy(w->json_room + w->json_used, data, size);
    w->json_used += size;
}

void json_start(writer *w) {
    w->json = json_start_generator(&w->json_memory, json_print, w);
    if (!w->json) {
        w->status = HABITAT_E_MEMORY;
        return;
    }
    yajl_gen_config(w->json, yajl_gen_beautify, 1);
    yajl_gen_config(w->json, yajl_gen_indent_string, "  ");
}

static void checked(writer *w, yajl_gen_status status) {
    if (status != yajl_gen_status_ok && w->status == HABITAT_OK)
        w->status = HABITAT_E_ARG;
}

static void json_quoted(writer *w, const char *text) {
    if (valid_utf8(text)) {
        checked(w, yajl_gen_string(w->json, (const unsigned char *)text, strlen(text)));
        return;
    }
    size_t size = 3 * strlen(text) + 1;
    char *copy = malloc(size);
    if (!copy) {
        w->status = HABITAT_E_MEMORY;
        return;
    }
    size_t length = clean(copy, size, text, true);
    checked(w, yajl_gen_string(w->json, (const unsigned char *)copy, length));
    free(copy);
}

/* @return whether there is anything to write to. */
static bool json_key(writer *w, const char *key) {
    if (w->status != HABITAT_OK || !w->json)
        return false;
    if (key)
        json_quoted(w, key);
    return true;
}

void json_map(writer *w, const char *key) {
    if (json_key(w, key))
        checked(w, yajl_gen_map_open(w->json));
}

void json_array(writer *w, const char *key) {
    if (json_key(w, key))
        checked(w, yajl_gen_array_open(w->json));
}

void json_end_map(writer *w) {
    if (json_key(w, NULL))
        checked(w, yajl_gen_map_close(w->json));
}

void json_end_array(writer *w) {
    if (json_key(w, NULL))
        checked(w, yajl_gen_array_close(w->json));
}

static void json_null(writer *w) {
    checked(w, yajl_gen_null(w->json));
}

void json_text(writer *w, const char *key, const char *value) {
    if (!json_key(w, key))
        return;
    if (value)
        json_quoted(w, value);
    else
        json_null(w);
}

void json_number(writer *w, const char *key, double value) {
    if (!json_key(w, key))
        return;
    if (isfinite(value)) {
        char text[32];
        habitat_shortest(value, text);
        checked(w, yajl_gen_number(w->json, text, strlen(text)));
    } else {
        json_null(w);
    }
}

void json_integer(writer *w, const char *key, uint64_t value) {
    char text[32];
    if (!json_key(w, key))
        return;
    int size = snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    checked(w, yajl_gen_number(w->json, text, (size_t)size));
}

void json_known_integer(writer *w, const char *key, uint64_t value) {
    if (value)
        json_integer(w, key, value);
    else
        json_text(w, key, NULL);
}

void json_boolean(writer *w, const char *key, bool value) {
    if (json_key(w, key))
        checked(w, yajl_gen_bool(w->json, value));
}

void json_tristate(writer *w, const char *key, int value) {
    if (value < 0)
        json_text(w, key, NULL);
    else
        json_boolean(w, key, value != 0);
}

/* ---- CSV ---- */

static void csv_cell(writer *w) {
    if (w->row_open)
        writer_bytes(w, ",", 1);
    w->row_open = true;
}

/* One character of a quoted or plain cell. @return its length in `s`. */
static size_t csv_character(writer *w, const unsigned char *s) {
    size_t length = utf8_length(s);
    if (length == 0) {
        writer_text(w, "\xef\xbf\xbd"); /* U+FFFD */
        return 1;
    }
    if (*s == '"')
        writer_text(w, "\"\"");
    else if (utf8_control(s) && *s != '\n' && *s != '\t')
        writer_printf(w, "\\x%02x", s[length - 1]);
    else
        writer_bytes(w, (const char *)s, length);
    return length;
}

/* Bytes that can be written as they are. */
static size_t csv_plain(const unsigned char *s) {
    size_t i = 0;
    while (s[i] >= 0x20 && s[i] < 0x7f && s[i] != '"')
        i++;
    return i;
}

void csv_text(writer *w, const char *value) {
    csv_cell(w);
    if (!value)
        return;
    bool quoted = strpbrk(value, "\",\t\n") != NULL;
    writer_bytes(w, "\"", quoted);
    for (const unsigned char *rest = (const unsigned char *)value; *rest;) {
        size_t plain = csv_plain(rest);
        writer_bytes(w, (const char *)rest, plain);
        rest += plain;
        if (*rest)
            rest += csv_character(w, rest);
    }
    writer_bytes(w, "\"", quoted);
}

void csv_number(writer *w, double value) {
    char text[32] = "";
    if (isfinite(value))
        habitat_shortest(value, text);
    csv_cell(w);
    writer_text(w, text);
}

void csv_integer(writer *w, uint64_t value) {
    csv_cell(w);
    writer_printf(w, "%llu", (unsigned long long)value);
}

void csv_header(writer *w, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        csv_text(w, names[i]);
    csv_end_row(w);
}

void csv_end_row(writer *w) {
    writer_bytes(w, "\n", 1);
    w->row_open = false;
}

/* ---- the end ---- */

habitat_status writer_finish(writer *w, habitat_error *err) {
    if (w->json) {
        json_flush(w);
        json_memory_free(&w->json_memory);
        w->json = NULL;
    }
    if (w->status == HABITAT_E_MEMORY)
        return habitat_fail(err, w->status, "out of memory while writing the report");
    if (w->status == HABITAT_E_IO)
        return habitat_fail(err, w->status, "the report could not be written");
    if (w->status != HABITAT_OK)
        return habitat_fail(err, w->status, "the report could not be made");
    return HABITAT_OK;
}
