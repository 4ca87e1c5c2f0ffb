/* What the table keeps of one GPU beside the public record, and the calls between the files of this
 * module. */
#ifndef HABITAT_GPU_ENTRY_H
#define HABITAT_GPU_ENTRY_H

#include "gpu/gpu.h"

#include "base/arena.h"

enum { GPU_NAME_LENGTH = 128 };    /* longest name that is looked up, NUL included */
enum { GPU_FILE_BYTES = 1 << 20 }; /* of the largest GPU file, or calibration, that is read */

typedef struct gpu_entry {
    habitat_gpu gpu;            /* first: a public pointer is a pointer to its entry */
    const char *const *aliases; /* exact names, then family names from `family_start` on */
    size_t alias_count;
    size_t family_start;
    const char *const *notes;
    size_t note_count;
    const habitat_gpu_source *sources; /* one for each key that a source covers */
    size_t source_count;
    const char *peak_note;      /* why the fp32 peak is not lanes x clock, or NULL */
    const char *calibration_of; /* NULL for a GPU */
    uint64_t present;           /* bit i: row i of gpu_fields was in the file */
} gpu_entry;

struct habitat_gpu_table {
    habitat_arena arena;       /* every entry and string, replaced ones included */
    const gpu_entry **entries; /* in table order */
    size_t count, capacity;
    habitat_gpu_skipped *skipped; /* shape (skipped_count), of the user's folder */
    size_t skipped_count;
};

/* Generated from data/gpus by tools/gpu_builtin.c, in table order. */
extern const gpu_entry gpu_builtin[];
extern const size_t gpu_builtin_count;

static inline const gpu_entry *gpu_entry_of(const habitat_gpu *gpu) {
    return (const gpu_entry *)(const void *)gpu;
}

/* parse.c: one file's text (NUL after `size` bytes) to an entry in `arena`. */
habitat_status gpu_parse(habitat_arena *arena, const char *text, size_t size, const char *file,
                         gpu_entry **out, habitat_error *err);

/* complete.c: what a file does not say. */
typedef struct gpu_left_out {
    uint64_t nulls; /* bit i: row i of gpu_fields is null, a place that nobody filled in */
    bool null_fp16; /* so is the matrix fp16 peak */
    bool no_matrix; /* "matrix": {} says that there are no matrix units */
} gpu_left_out;

/* Fills in what follows from the rest; an error that names all that is still missing. */
habitat_status gpu_complete(habitat_arena *arena, gpu_entry *entry, const gpu_left_out *left,
                            const char *file, habitat_error *err);

/* fields.c: what a source can be. */
enum { GPU_SOURCE_KINDS = 5 };
extern const char *const gpu_source_kinds[GPU_SOURCE_KINDS];

/* fields.c: the keys of a GPU file. */
typedef enum gpu_field_kind {
    GPU_FIELD_TEXT,   /* const char * */
    GPU_FIELD_NUMBER, /* double, times `scale` */
    GPU_FIELD_COUNT,  /* uint32_t */
    GPU_FIELD_OTHER   /* read by its own function in parse.c */
} gpu_field_kind;

typedef struct gpu_field {
    const char *key;
    gpu_field_kind kind;
    size_t offset; /* in habitat_gpu, habitat_sm_limits or habitat_host_costs */
    double scale;
    double lowest, highest; /* of the value as written in the file */
    bool required; /* in a GPU, where it does not follow; not in a calibration; in `host` */
} gpu_field;

extern const gpu_field gpu_fields[];
extern const size_t gpu_field_count;
extern const gpu_field gpu_limit_fields[];
extern const size_t gpu_limit_field_count;
extern const gpu_field gpu_host_fields[];
extern const size_t gpu_host_field_count;

/* capability.c: limits of a compute capability (10 * major + minor); NULL if unknown. */
const habitat_sm_limits *gpu_capability_limits(uint32_t compute_capability);

/* sustained.c: fills the sustained rates that the file did not give, and marks them. */
void gpu_estimate_sustained(habitat_gpu *gpu);

/* kin.c: how far two GPUs are parts of one chip, alike but for their memory: 0 to 1. */
double gpu_kinship(const habitat_gpu *a, const habitat_gpu *b);

/* kin.c: where nobody measured a unit of `gpu` but one of its kin in `table`, the share of the peak
 * is taken from there (a mean of several), marked as an estimate. */
void gpu_rates_of_kin(const habitat_gpu_table *table, habitat_gpu *gpu);

/* names.c: lower case, letters and digits only, without the vendor's name in front. */
void gpu_normalise(const char *name, char out[GPU_NAME_LENGTH]);

/* `wanted` is normalised. Index of the alias that equals it, alias_count if none does; whether it
 * is the GPU's own name. */
size_t gpu_alias_index(const gpu_entry *entry, const char *wanted);
bool gpu_is_canonical(const gpu_entry *entry, const char *wanted);

/* The GPU with this name or alias, NULL if none; `alias` receives whether it is an alias. */
const gpu_entry *gpu_named(const habitat_gpu_table *table, const char *name, bool *alias);

/* folder.c: adds the *.json files of the user's folder; what cannot be used is noted as skipped. */
habitat_status gpu_add_folder(habitat_gpu_table *table, const char *folder, habitat_error *err);

/* skipped.c: notes a file that cannot be used; `gpu` is what it describes. Only missing memory is a
 * failure. */
habitat_status gpu_note_skipped(habitat_gpu_table *table, const char *path, const char *gpu,
                                const habitat_error *why, habitat_error *err);

/* The skipped file that describes `name`, or the GPU `found` for it (may be NULL); NULL if none. */
const habitat_gpu_skipped *gpu_skipped_for(const habitat_gpu_table *table, const char *name,
                                           const gpu_entry *found);

/* A later file described this GPU: the skipped one does not matter any more. */
void gpu_supersede_skipped(habitat_gpu_table *table, const char *name);

/* table.c: fills an empty table with the built-in GPUs. */
habitat_status gpu_add_built_in(habitat_gpu_table *table, habitat_error *err);

/* read_file.c: one file's bytes and a NUL; `regular_only` refuses pipes and devices without waiting
 * for them. */
habitat_status gpu_read_file(const char *path, bool regular_only, char **text, size_t *size,
                             habitat_error *err);

#endif
