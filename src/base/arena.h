/* Memory that is freed all at once, and strings stored once.
 *
 * An arena hands out aligned memory from large chunks; its owner frees it whole. The string table
 * keeps one copy of each distinct string: traces repeat a few hundred names thousands of times. */
#ifndef HABITAT_BASE_ARENA_H
#define HABITAT_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

typedef struct habitat_arena {
    struct habitat_arena_chunk *head;
    size_t used_bytes; /* handed out, for tests and reports */
} habitat_arena;

/* Memory of `size` bytes, aligned to 16; NULL when there is none left. Not zeroed. */
void *habitat_arena_alloc(habitat_arena *arena, size_t size);

/* A NUL-terminated copy of `length` bytes; NULL when out of memory. */
char *habitat_arena_string(habitat_arena *arena, const char *text, size_t length);

/* Free everything; the arena can be used again. */
void habitat_arena_free(habitat_arena *arena);

typedef struct habitat_strings {
    habitat_arena arena;
    habitat_table table;
    struct habitat_string *list;
    size_t count, capacity;
} habitat_strings;

/* The one copy of this string; NULL when out of memory. Equal strings give equal pointers. */
const char *habitat_strings_intern(habitat_strings *strings, const char *text, size_t length);

/* No more of them will be added: what finds them is freed, they stay. */
void habitat_strings_close(habitat_strings *strings);

/* Free all strings. */
void habitat_strings_free(habitat_strings *strings);

#endif
