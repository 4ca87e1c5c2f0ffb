/* Lines of a text; see screen.h. */
#include "report/screen.h"

/* A byte that goes on with a character that another byte began. */
static bool goes_on(char c) {
    return ((unsigned char)c & 0xc0) == 0x80;
}

static int count(void *context, const char *data, size_t size) {
    screen *s = context;
    for (size_t i = 0; i < size; i++) {
        bool over = s->column == s->width && data[i] != '\n' && !goes_on(data[i]);
        s->lines += data[i] == '\n' || over;
        s->column = data[i] == '\n' || over ? 0 : s->column;
        s->column += data[i] != '\n' && !goes_on(data[i]);
        s->of_line = data[i] == '\n' ? 0 : s->of_line + !goes_on(data[i]);
        s->widest = s->of_line > s->widest ? s->of_line : s->widest;
    }
    return 0;
}

writer screen_writer(const writer *w, screen *counted) {
    *counted = (screen){.width = w->width};
    return (writer){.write = count, .context = counted, .width = w->width};
}
