/* JSON text in pieces; see text.h. */
#include "export/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include <habitat/text.h>

void export_flush(export_text *t) {
    if (t->used && !t->refused && t->write(t->context, t->data, t->used) != 0)
        t->refused = true;
    t->used = 0;
}

static void put(export_text *t, const char *data, size_t size) {
    if (sizeof t->data - t->used < size)
        export_flush(t);
    memcpy(t->data + t->used, data, size);
    t->used += size;
}

void export_print(export_text *t, const char *format, ...) {
    char line[512];
    va_list args;
    va_start(args, format);
    habitat_vformat(line, sizeof line, format, args);
    va_end(args);
    put(t, line, strlen(line));
}

/* Longer forms than needed and surrogates are no characters. */
size_t export_character(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (s[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
               (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);
    return bad ? 0 : length;
}

void export_string(export_text *t, const char *value) {
    put(t, "\"", 1);
    for (const unsigned char *s = (const unsigned char *)value; *s;) {
        size_t length = export_character((const char *)s);
        if (!length)
            put(t, "\xef\xbf\xbd", 3);
        else if (*s < 0x20 || *s == 0x7f)
            export_print(t, "\\u%04x", *s);
        else if (*s == '"' || *s == '\\')
            export_print(t, "\\%c", *s);
        else
            put(t, (const char *)s, length);
        s += length ? length : 1;
    }
    put(t, "\"", 1);
}

void export_us(export_text *t, uint64_t ns) {
    export_print(t, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
}
