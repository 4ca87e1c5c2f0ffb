/* A GPU file while it is read, and the calls between the files that read it: parse.c (the whole),
 * file_rates.c, file_lists.c (parts of it) and file_values.c (single values). Each call leaves its
 * outputs alone on failure. */
#ifndef HABITAT_GPU_FILE_H
#define HABITAT_GPU_FILE_H

#include "base/json.h"
#include "gpu/entry.h"

typedef struct gpu_file {
    habitat_arena *arena; /* of the entry and its texts */
    gpu_entry *entry;     /* what is being filled */
    const char *text, *file;
    habitat_error *err;
    char scope[32]; /* what stands before a key in messages: "operations[3]." */
    gpu_left_out left;
    uint64_t scope_line; /* of the object that is being read; 0 = the key is looked for */
} gpu_file;

/* Leave the calling function with the status of a call that failed. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        habitat_status try_status = (call);                                                        \
        if (try_status != HABITAT_OK)                                                              \
            return try_status;                                                                     \
    } while (0)

/* file_values.c */

/* The first key of this name; NULL if it does not occur. */
const char *gpu_file_find_key(const char *text, const char *key);

/* Fails with "FILE:LINE: KEY: ...". */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
habitat_status
gpu_file_bad(gpu_file *r, habitat_status code, const char *key, const char *format, ...);
habitat_status gpu_file_no_memory(gpu_file *r);

/* A text that is not empty, as a copy in the arena. */
habitat_status gpu_read_text(gpu_file *r, const char *key, yajl_val value, const char **out);

/* A number from lowest to highest, in the unit of the file. */
habitat_status gpu_read_number(gpu_file *r, const char *key, yajl_val value, double lowest,
                               double highest, double *out);

/* A list of texts, behind the `keep` that *out already holds. */
habitat_status gpu_read_texts(gpu_file *r, const char *key, yajl_val value, size_t keep,
                              const char *const **out, size_t *count);

/* A field of the record at `base`, unless it is GPU_FIELD_OTHER. */
habitat_status gpu_read_field(gpu_file *r, const gpu_field *field, yajl_val value, char *base);

/* The known key that is most like this one. */
const char *gpu_nearest_key(const char *key, const gpu_field *fields, size_t count);

/* Fails where a key of the object occurs twice, or where the value is no object. */
habitat_status gpu_refuse_twice(gpu_file *r, const char *where, yajl_val object);
habitat_status gpu_need_object(gpu_file *r, const char *key, yajl_val value);

/* file_rates.c: each reads one object into the entry. */
habitat_status gpu_read_limits(gpu_file *r, yajl_val value);
habitat_status gpu_read_host(gpu_file *r, yajl_val value);
habitat_status gpu_read_peak(gpu_file *r, yajl_val value);
habitat_status gpu_read_sustained(gpu_file *r, yajl_val value);

/* file_lists.c: each reads one list into the entry. */
habitat_status gpu_read_operations(gpu_file *r, yajl_val value);
habitat_status gpu_read_sources(gpu_file *r, yajl_val value);

/* YYYY, YYYY-MM or YYYY-MM-DD. */
bool gpu_is_date(const char *date);

#endif
