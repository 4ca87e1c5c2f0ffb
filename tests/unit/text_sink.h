/* A sink for what tests have written: a text that grows, ends with 0, and refuses when told to. */
#ifndef HABITAT_TEST_TEXT_SINK_H
#define HABITAT_TEST_TEXT_SINK_H

#include <stdlib.h>
#include <string.h>

typedef struct text_sink {
    char *data; /* NULL: nothing was written; free() it */
    size_t size, capacity;
    size_t pieces;      /* how many came, refused ones too */
    size_t refuse_from; /* this piece and all after it are refused, the first is 1; 0: none is */
} text_sink;

/* Of the type habitat_text_sink; context: a text_sink. */
static inline int append(void *context, const char *data, size_t size) {
    text_sink *t = context;
    t->pieces++;
    if (t->refuse_from && t->pieces >= t->refuse_from)
        return -1;
    if (t->capacity - t->size <= size) {
        t->capacity = 2 * (t->size + size + 1);
        char *grown = realloc(t->data, t->capacity);
        if (!grown)
            return -1;
        t->data = grown;
    }
    memcpy(t->data + t->size, data, size);
    t->size += size;
    t->data[t->size] = '\0';
    return 0;
}

static inline void text_sink_clear(text_sink *t) {
    free(t->data);
    *t = (text_sink){0};
}

#endif
