/* yajl, made safe to run out of memory.
 *
 * yajl uses what its allocator returns without a look. Here the allocator does not return when
 * there is nothing: it jumps out of yajl, back into the function below that called it, and all that
 * yajl holds is freed as a whole. No code of ours lies between: callbacks do not allocate through
 * yajl. docs/decisions/0095-yajl-and-memory.md */
#ifndef HABITAT_BASE_JSON_H
#define HABITAT_BASE_JSON_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <yajl/yajl_gen.h>
#include <yajl/yajl_parse.h>
#include <yajl/yajl_tree.h>

#include "base/arena.h"

/* What yajl holds. Stays where it is from the first use to json_memory_free(). */
typedef struct json_memory {
    struct json_block *first;
    yajl_alloc_funcs functions;
    jmp_buf no_memory;
} json_memory;

/* Frees everything that yajl holds: handles are not freed by themselves. */
void json_memory_free(json_memory *memory);

typedef struct json_parser {
    json_memory memory;
    yajl_handle handle;
} json_parser;

typedef enum json_result {
    JSON_OK,
    JSON_STOPPED, /* a callback returned 0 */
    JSON_BAD,     /* not JSON */
    JSON_NO_MEMORY
} json_result;

/* Calls of yajl's functions of the same names. After JSON_NO_MEMORY a parser can only be freed. */
json_result json_start_parser(json_parser *p, const yajl_callbacks *callbacks, void *context);
json_result json_parse(json_parser *p, const unsigned char *text, size_t size);
json_result json_complete(json_parser *p);
/* yajl's words on what is wrong, for a person; left alone without memory. */
void json_explain(json_parser *p, char *out, size_t size);
void json_free_parser(json_parser *p);

/* A generator that writes through `print`; after this it needs no more memory. NULL without. */
yajl_gen json_start_generator(json_memory *memory, yajl_print_t print, void *context);

/* A whole text as yajl's tree, in `arena`. Numbers have their text (u.number.r) and nothing else:
 * yajl's own reading of it goes by the locale. *stopped: on JSON_BAD, the byte where it is not JSON
 * any more, `size` where it ends too early. */
json_result json_read_tree(habitat_arena *arena, const char *text, size_t size, yajl_val *out,
                           size_t *stopped);

/* The line, from 1, that a byte of a text is in. */
uint64_t json_line_of(const char *text, size_t byte);

#endif
