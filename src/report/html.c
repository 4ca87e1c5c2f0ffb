/* Text in HTML; see html.h. */
#include "report/html.h"

#include <math.h>
#include <string.h>

#include <habitat/text.h>

#include "base/shortest.h"
#include "report/table.h"

static const char *entity(char c) {
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* One character that cannot stand as it is. @return its length. */
static size_t special(writer *w, const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    const char *name = entity(*text);
    size_t length = utf8_length(s);
    if (name)
        writer_text(w, name);
    else if (length == 0 || utf8_control(s))
        writer_text(w, "\xef\xbf\xbd"); /* U+FFFD */
    else
        writer_bytes(w, text, length);
    return length ? length : 1;
}

void html_text(writer *w, const char *text) {
    while (text && *text) {
        size_t plain = 0;
        while (text[plain] >= 0x20 && text[plain] < 0x7f && !entity(text[plain]))
            plain++;
        writer_bytes(w, text, plain);
        text += plain;
        if (*text)
            text += special(w, text);
    }
}

void html_element(writer *w, const char *tag, const char *text) {
    writer_printf(w, "<%s>", tag);
    html_text(w, text);
    writer_printf(w, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

/* ---- cells ---- */

void html_cell(writer *w, const char *text) {
    html_element(w, "td", text && *text ? text : "\xe2\x80\x93");
}

void html_shown_cell(writer *w, double value, const char *shown) {
    char number[32];
    if (!isfinite(value)) {
        writer_text(w, "<td class=\"none\">\xe2\x80\x93</td>\n");
        return;
    }
    habitat_shortest(value, number);
    writer_printf(w, "<td data-v=\"%s\">", number);
    html_text(w, shown);
    writer_text(w, "</td>\n");
}

void html_number_cell(writer *w, double value, int decimals) {
    char shown[64];
    habitat_format(shown, sizeof shown, "%.*f", decimals, value);
    html_shown_cell(w, value, shown);
}

void html_ms_cell(writer *w, double ms) {
    char shown[32];
    ms_text(ms, shown, sizeof shown);
    html_shown_cell(w, ms, shown);
}

void dollars_text(double usd, char *text, size_t size) {
    habitat_format(text, size, "$%.*f", usd < 1 ? decimals_for(usd, 3) : 2, usd);
}

void html_head(writer *w, const char *const *columns, size_t count) {
    writer_text(w, "<thead><tr>");
    for (size_t i = 0; i < count; i++)
        html_element(w, "th scope=\"col\"", columns[i]);
    writer_text(w, "</tr></thead>\n");
}

/* ---- JSON ---- */

/* Markup and line separators stand inside strings only, where \u escapes mean the same. */
static int json_in_html(void *context, const char *data, size_t size) {
    writer *w = context;
    size_t plain = 0;
    for (size_t i = 0; i < size; i++) {
        bool line = size - i > 2 && memcmp(data + i, "\xe2\x80", 2) == 0 &&
                    ((unsigned char)data[i + 2] & 0xfe) == 0xa8;
        if (!line && data[i] != '<' && data[i] != '>' && data[i] != '&')
            continue;
        writer_bytes(w, data + plain, i - plain);
        unsigned char last = (unsigned char)data[line ? i + 2 : i];
        writer_printf(w, "\\u%04x", line ? 0x2000u + (last & 0x3fu) : last);
        i += line ? 2 : 0;
        plain = i + 1;
    }
    writer_bytes(w, data + plain, size - plain);
    return w->status == HABITAT_OK ? 0 : -1;
}

void html_json(writer *json, writer *w) {
    *json = (writer){.write = json_in_html, .context = w, .status = w->status};
    json_start(json);
    if (json->json)
        yajl_gen_config(json->json, yajl_gen_beautify, 0);
}

void html_json_end(writer *json, writer *w) {
    habitat_status status = writer_finish(json, NULL);
    if (status != HABITAT_OK)
        writer_stop(w, status);
}
