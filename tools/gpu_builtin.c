/* Turns the GPU files into C: usage: gpu_builtin OUTPUT.c FILE.json...
 *
 * The library's own reader reads and checks them, so that a program that starts need not. Writes
 * `const gpu_entry gpu_builtin[]` and `const size_t gpu_builtin_count` (declared in
 * src/gpu/entry.h), in table order. tests/unit/test_gpu_files.c compares every entry with its file:
 * a member that is forgotten here fails there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/entry.h"

/* The table that this program begins with. */
const gpu_entry gpu_builtin[] = {{.family_start = 0}};
const size_t gpu_builtin_count = 0;

static void put_text(FILE *out, const char *text) {
    if (!text) {
        fputs("0", out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f || c == '?') /* no trigraphs, any source encoding */
            fprintf(out, "\\%03o", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void put_number(FILE *out, double value) {
    if (isnan(value))
        fputs("NAN", out);
    else
        fprintf(out, "%a", value);
}

static void put_numbers(FILE *out, const char *name, const double *values) {
    fprintf(out, "        .%s = {", name);
    for (int i = 0; i < HABITAT_DTYPE_COUNT; i++) {
        put_number(out, values[i]);
        fputs(", ", out);
    }
    fputs("},\n", out);
}

static void put_flags(FILE *out, const char *name, const bool *values) {
    fprintf(out, "        .%s = {", name);
    for (int i = 0; i < HABITAT_DTYPE_COUNT; i++)
        fprintf(out, "%d, ", values[i]);
    fputs("},\n", out);
}

static void put_texts(FILE *out, const char *name, size_t entry, const char *const *texts,
                      size_t count) {
    if (count == 0)
        return;
    fprintf(out, "static const char *const %s_%zu[] = {\n", name, entry);
    for (size_t i = 0; i < count; i++) {
        fputs("    ", out);
        put_text(out, texts[i]);
        fputs(",\n", out);
    }
    fputs("};\n", out);
}

static void put_sources(FILE *out, size_t entry, const habitat_gpu_source *sources, size_t count) {
    if (count == 0)
        return;
    fprintf(out, "static const habitat_gpu_source sources_%zu[] = {\n", entry);
    for (size_t i = 0; i < count; i++) {
        const char *const texts[] = {sources[i].field,     sources[i].id,   sources[i].title,
                                     sources[i].publisher, sources[i].date, sources[i].note,
                                     sources[i].kind};
        fputs("    {", out);
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
            put_text(out, texts[t]);
            fputs(", ", out);
        }
        fputs("},\n", out);
    }
    fputs("};\n", out);
}

#define PUT(what, member)                                                                          \
    (fputs("        ." #member " = ", out), what(out, gpu->member), fputs(",\n", out))

static void put_count(FILE *out, uint32_t value) {
    fprintf(out, "%u", (unsigned)value);
}

static void put_flag(FILE *out, bool value) {
    fputs(value ? "1" : "0", out);
}

static void put_specification(FILE *out, const habitat_gpu *gpu) {
    PUT(put_text, name);
    PUT(put_text, vendor);
    PUT(put_text, architecture);
    PUT(put_text, chip);
    PUT(put_text, llvm_target);
    PUT(put_count, compute_capability);
    PUT(put_count, sm_count);
    PUT(put_count, fp32_lanes_per_sm);
    PUT(put_number, base_clock_hz);
    PUT(put_number, boost_clock_hz);
    PUT(put_number, memory_bytes);
    PUT(put_number, memory_sold_bytes);
    PUT(put_number, memory_bandwidth_bytes_per_s);
    PUT(put_count, memory_bus_bits);
    PUT(put_count, dies_per_board);
    PUT(put_text, memory_type);
    PUT(put_text, memory_ecc);
    PUT(put_number, l2_bytes);
    PUT(put_number, launch_floor_ns);
    PUT(put_number, tdp_w);
    PUT(put_number, process_nm);
    PUT(put_number, nvlink_bytes_per_s);
    PUT(put_number, c2c_bytes_per_s);
    PUT(put_number, pcie_bytes_per_s);
    PUT(put_count, pcie_generation);
    PUT(put_count, pcie_lanes);
    PUT(put_text, release_date);
}

static void put_rates(FILE *out, const habitat_gpu *gpu) {
    put_numbers(out, "peak.matrix_flop_per_s", gpu->peak.matrix_flop_per_s);
    put_numbers(out, "peak.plain_flop_per_s", gpu->peak.plain_flop_per_s);
    PUT(put_number, matrix_fp16_accumulate_fp16_flop_per_s);
    PUT(put_number, matrix_fp8_accumulate_fp16_flop_per_s);
    put_numbers(out, "sustained.matrix_flop_per_s", gpu->sustained.matrix_flop_per_s);
    put_numbers(out, "sustained.plain_flop_per_s", gpu->sustained.plain_flop_per_s);
    put_flags(out, "sustained_matrix_estimated", gpu->sustained_matrix_estimated);
    put_flags(out, "sustained_plain_estimated", gpu->sustained_plain_estimated);
    PUT(put_number, sustained_bandwidth_bytes_per_s);
    PUT(put_flag, sustained_bandwidth_estimated);
}

static void put_limits(FILE *out, const habitat_gpu *gpu) {
    PUT(put_count, limits.warp_size);
    PUT(put_count, limits.threads_per_sm);
    PUT(put_count, limits.threads_per_block);
    PUT(put_count, limits.blocks_per_sm);
    PUT(put_count, limits.registers_per_sm);
    PUT(put_count, limits.registers_per_block);
    PUT(put_count, limits.registers_per_thread);
    PUT(put_count, limits.register_allocation_unit);
    PUT(put_count, limits.warp_allocation_granularity);
    PUT(put_count, limits.shared_memory_per_sm_bytes);
    PUT(put_count, limits.shared_memory_per_block_bytes);
    PUT(put_count, limits.shared_memory_reserved_bytes);
    PUT(put_count, limits.shared_memory_allocation_bytes);
}

static void put_list(FILE *out, const char *name, size_t entry, size_t count) {
    if (count)
        fprintf(out, "     .%s = %s_%zu,\n", name, name, entry);
}

static void put_entry(FILE *out, size_t i, const gpu_entry *entry) {
    fputs("    {.gpu = {\n", out);
    put_specification(out, &entry->gpu);
    put_rates(out, &entry->gpu);
    put_limits(out, &entry->gpu);
    fputs("        .file = \"built-in\", .built_in = true},\n", out);
    put_list(out, "aliases", i, entry->alias_count);
    put_list(out, "notes", i, entry->note_count);
    put_list(out, "sources", i, entry->source_count);
    fprintf(out, "     .alias_count = %zu, .family_start = %zu, .note_count = %zu,\n",
            entry->alias_count, entry->family_start, entry->note_count);
    fprintf(out, "     .source_count = %zu, .present = UINT64_C(0x%llx), .peak_note = ",
            entry->source_count, (unsigned long long)entry->present);
    put_text(out, entry->peak_note);
    fputs("},\n", out);
}

static void put_table(FILE *out, const habitat_gpu_table *table) {
    size_t count = habitat_gpu_count(table);
    fputs("/* Generated by tools/gpu_builtin.c; do not edit. */\n#include <math.h>\n\n"
          "#include \"gpu/entry.h\"\n\n",
          out);
    for (size_t i = 0; i < count; i++) {
        const gpu_entry *entry = gpu_entry_of(habitat_gpu_at(table, i));
        put_texts(out, "aliases", i, entry->aliases, entry->alias_count);
        put_texts(out, "notes", i, entry->notes, entry->note_count);
        put_sources(out, i, entry->sources, entry->source_count);
    }
    fputs("const gpu_entry gpu_builtin[] = {\n", out);
    for (size_t i = 0; i < count; i++) {
        gpu_entry entry = *gpu_entry_of(habitat_gpu_at(table, i));
        gpu_rates_of_kin(table, &entry.gpu); /* of files that were read later, too */
        put_entry(out, i, &entry);
    }
    fprintf(out, "};\nconst size_t gpu_builtin_count = %zu;\n", count);
}

int main(int argc, char **argv) {
    habitat_error error = {0};
    habitat_gpu_table *table = NULL;
    if (argc < 3) {
        fputs("usage: gpu_builtin OUTPUT.c FILE.json...\n", stderr);
        return 2;
    }
    habitat_status status = habitat_gpu_table_create(NULL, &table, &error);
    for (int i = 2; status == HABITAT_OK && i < argc; i++)
        status = habitat_gpu_table_add_file(table, argv[i], NULL, &error);
    FILE *out = status == HABITAT_OK ? fopen(argv[1], "w") : NULL;
    if (out)
        put_table(out, table);
    habitat_gpu_table_free(table);
    if (status != HABITAT_OK)
        fprintf(stderr, "gpu_builtin: %s\n", error.message);
    else if (!out || fclose(out) != 0)
        fprintf(stderr, "gpu_builtin: cannot write %s\n", argv[1]);
    else
        return 0;
    remove(argv[1]);
    return 1;
}
