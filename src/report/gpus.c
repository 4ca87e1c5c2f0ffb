/* The GPU table as text, JSON and CSV: all GPUs, one GPU with sources, findings of the check.
 * Which values there are is one table below; every form walks it. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <habitat/text.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "report/gpu_operations.h"
#include "report/table.h"
#include "report/writer.h"

typedef enum field_kind { FIELD_TEXT, FIELD_NUMBER, FIELD_COUNT, FIELD_LIMIT } field_kind;

/* One value of a GPU. `divisor` takes it to `unit` for people; JSON and CSV hold it undivided.
 * `source` is the key in data/gpus whose source covers it. */
typedef struct gpu_field {
    const char *key, *label, *unit;
    double divisor;
    size_t offset;
    field_kind kind;
    const char *source;
} gpu_field;

#define AT(member) offsetof(habitat_gpu, member)
static const gpu_field fields[] = {
    {"vendor", "vendor", "", 1, AT(vendor), FIELD_TEXT, "vendor"},
    {"architecture", "architecture", "", 1, AT(architecture), FIELD_TEXT, "architecture"},
    {"release_date", "released", "", 1, AT(release_date), FIELD_TEXT, "release_date"},
    {"process_nm", "process", "nm", 1, AT(process_nm), FIELD_NUMBER, "process_nm"},
    {"tdp_w", "TDP", "W", 1, AT(tdp_w), FIELD_NUMBER, "tdp_w"},
    {"sm_count", "SMs", "", 1, AT(sm_count), FIELD_COUNT, "sm_count"},
    {"fp32_lanes_per_sm", "fp32 lanes per SM", "", 1, AT(fp32_lanes_per_sm), FIELD_COUNT,
     "fp32_lanes_per_sm"},
    {"base_clock_hz", "base clock", "MHz", 1e6, AT(base_clock_hz), FIELD_NUMBER, "base_clock_mhz"},
    {"boost_clock_hz", "boost clock", "MHz", 1e6, AT(boost_clock_hz), FIELD_NUMBER,
     "boost_clock_mhz"},
    {"chip", "chip", "", 1, AT(chip), FIELD_TEXT, "chip"},
    {"dies_per_board", "dies per board", "", 1, AT(dies_per_board), FIELD_COUNT, "dies_per_board"},
    {"memory_sold_bytes", "memory, as sold", "GiB", HABITAT_GIB, AT(memory_sold_bytes),
     FIELD_NUMBER, "memory_gib"},
    {"memory_bytes", "memory, usable", "GiB", HABITAT_GIB, AT(memory_bytes), FIELD_NUMBER,
     "memory_usable_bytes"},
    {"memory_bus_bits", "memory bus", "bits", 1, AT(memory_bus_bits), FIELD_COUNT,
     "memory_bus_bits"},
    {"memory_type", "memory type", "", 1, AT(memory_type), FIELD_TEXT, "memory_type"},
    {"memory_ecc", "memory ECC", "", 1, AT(memory_ecc), FIELD_TEXT, "memory_ecc"},
    {"memory_bandwidth_bytes_per_s", "memory bandwidth", "GB/s", 1e9,
     AT(memory_bandwidth_bytes_per_s), FIELD_NUMBER, "memory_bandwidth_gb_per_s"},
    {"l2_bytes", "L2 cache", "MiB", 1048576, AT(l2_bytes), FIELD_NUMBER, "l2_mib"},
    {"nvlink_bytes_per_s", "GPU link, bidirectional", "GB/s", 1e9, AT(nvlink_bytes_per_s),
     FIELD_NUMBER, "nvlink_bidirectional_gb_per_s"},
    {"pcie_bytes_per_s", "PCIe, one direction", "GB/s", 1e9, AT(pcie_bytes_per_s), FIELD_NUMBER,
     "pcie_bidirectional_gb_per_s"},
    {"c2c_bytes_per_s", "link to the CPU, both directions", "GB/s", 1e9, AT(c2c_bytes_per_s),
     FIELD_NUMBER, "nvlink_c2c_bidirectional_gb_per_s"},
    {"pcie_generation", "PCIe generation", "", 1, AT(pcie_generation), FIELD_COUNT,
     "pcie_generation"},
    {"pcie_lanes", "PCIe lanes", "", 1, AT(pcie_lanes), FIELD_COUNT, "pcie_lanes"},
    {"launch_floor_ns", "launch floor", "us", 1e3, AT(launch_floor_ns), FIELD_NUMBER,
     "launch_floor_ns"},
};
static const gpu_field limit_fields[] = {
#define LIMIT(member, label, unit)                                                                 \
    { #member, label, unit, 1, AT(limits.member), FIELD_COUNT, "sm_limits" }
    LIMIT(warp_size, "warp", "threads"),
    LIMIT(threads_per_sm, "threads per SM", ""),
    LIMIT(threads_per_block, "threads per block", ""),
    LIMIT(blocks_per_sm, "blocks per SM", ""),
    LIMIT(registers_per_sm, "registers per SM", ""),
    LIMIT(registers_per_block, "registers per block", ""),
    LIMIT(registers_per_thread, "registers per thread", ""),
    LIMIT(register_allocation_unit, "register allocation unit", ""),
    LIMIT(warp_allocation_granularity, "warp allocation unit", "warps"),
    LIMIT(shared_memory_per_sm_bytes, "shared memory per SM", "bytes"),
    LIMIT(shared_memory_per_block_bytes, "shared memory per block", "bytes"),
    LIMIT(shared_memory_reserved_bytes, "reserved per block", "bytes"),
    LIMIT(shared_memory_allocation_bytes, "shared memory unit", "bytes"),
#undef LIMIT
};
static const gpu_field host_fields[] = {
    {"host_launch_ns", "host, a launch", "us", 1e3, AT(host.launch_ns), FIELD_NUMBER, "host"},
    {"host_launch_spread", "host, spread of it", "%", .01, AT(host.launch_spread), FIELD_NUMBER,
     "host"},
    {"host_forward_ns", "host, a layer forward", "us", 1e3, AT(host.forward_ns), FIELD_NUMBER,
     "host"},
    {"host_forward_spread", "host, spread of it", "%", .01, AT(host.forward_spread), FIELD_NUMBER,
     "host"},
    {"host_backward_ns", "host, a layer backward", "us", 1e3, AT(host.backward_ns), FIELD_NUMBER,
     "host"},
    {"host_backward_spread", "host, spread of it", "%", .01, AT(host.backward_spread), FIELD_NUMBER,
     "host"},
};
#undef AT

enum {
    FIELDS = sizeof fields / sizeof fields[0],
    LIMIT_FIELDS = sizeof limit_fields / sizeof limit_fields[0],
    HOST_FIELDS = sizeof host_fields / sizeof host_fields[0],
    TEXT_BYTES = 128,
};

static const habitat_dtype rate_dtypes[] = {
    HABITAT_DTYPE_FP64, HABITAT_DTYPE_FP32, HABITAT_DTYPE_TF32, HABITAT_DTYPE_FP16,
    HABITAT_DTYPE_BF16, HABITAT_DTYPE_FP8,  HABITAT_DTYPE_INT8,
};
enum { RATE_DTYPES = sizeof rate_dtypes / sizeof rate_dtypes[0] };

static const char *field_text(const habitat_gpu *gpu, const gpu_field *f) {
    const char *text;
    memcpy(&text, (const char *)gpu + f->offset, sizeof text);
    return text;
}

/* NaN where unknown: a count of 0, and all limits of a GPU without limits. */
static double field_number(const habitat_gpu *gpu, const gpu_field *f) {
    if (f->kind == FIELD_COUNT || f->kind == FIELD_LIMIT) {
        uint32_t count;
        memcpy(&count, (const char *)gpu + f->offset, sizeof count);
        bool known = f->kind == FIELD_LIMIT ? gpu->limits.threads_per_sm > 0 : count > 0;
        return known ? (double)count : NAN;
    }
    double number;
    memcpy(&number, (const char *)gpu + f->offset, sizeof number);
    return number;
}

static void compute_capability(const habitat_gpu *gpu, char *text, size_t size) {
    snprintf(text, size, "%u.%u", gpu->compute_capability / 10, gpu->compute_capability % 10);
}

static void json_field(writer *w, const habitat_gpu *gpu, const gpu_field *f) {
    if (f->kind == FIELD_TEXT)
        json_text(w, f->key, field_text(gpu, f));
    else
        json_number(w, f->key, field_number(gpu, f));
}

static void json_rates(writer *w, const char *key, const double *rates) {
    json_map(w, key);
    for (size_t i = 0; i < RATE_DTYPES; i++)
        json_number(w, habitat_dtype_name(rate_dtypes[i]), rates[rate_dtypes[i]]);
    json_end_map(w);
}

/* Where a rate is known: whether it was measured or estimated. */
static void json_origins(writer *w, const char *key, const double *rates, const bool *estimated) {
    json_map(w, key);
    for (size_t i = 0; i < RATE_DTYPES; i++) {
        habitat_dtype dtype = rate_dtypes[i];
        const char *origin = estimated[dtype] ? "estimated" : "measured";
        json_text(w, habitat_dtype_name(dtype), isfinite(rates[dtype]) ? origin : NULL);
    }
    json_end_map(w);
}

static void json_sustained(writer *w, const habitat_gpu *gpu) {
    const habitat_rates *rates = &gpu->sustained;
    json_map(w, "sustained");
    json_rates(w, "matrix_flop_per_s", rates->matrix_flop_per_s);
    json_origins(w, "matrix_from", rates->matrix_flop_per_s, gpu->sustained_matrix_estimated);
    json_rates(w, "plain_flop_per_s", rates->plain_flop_per_s);
    json_origins(w, "plain_from", rates->plain_flop_per_s, gpu->sustained_plain_estimated);
    json_number(w, "bandwidth_bytes_per_s", gpu->sustained_bandwidth_bytes_per_s);
    json_text(w, "bandwidth_from",
              !isfinite(gpu->sustained_bandwidth_bytes_per_s) ? NULL
              : gpu->sustained_bandwidth_estimated            ? "estimated"
                                                              : "measured");
    json_end_map(w);
}

/* What the CPU took that a calibration ran on; null without one. */
static void json_host(writer *w, const habitat_gpu *gpu) {
    if (!(gpu->host.launch_ns > 0.0)) {
        json_text(w, "host", NULL);
        return;
    }
    json_map(w, "host");
    for (size_t i = 0; i < HOST_FIELDS; i++)
        json_number(w, host_fields[i].key + strlen("host_"), field_number(gpu, &host_fields[i]));
    json_end_map(w);
}

static void json_sources(writer *w, const habitat_gpu_table *table, const habitat_gpu *gpu) {
    size_t count;
    const habitat_gpu_source *sources = habitat_gpu_sources(table, gpu, &count);
    json_array(w, "sources");
    for (size_t i = 0; i < count; i++) {
        json_map(w, NULL);
        json_text(w, "field", sources[i].field);
        json_text(w, "id", sources[i].id);
        json_text(w, "title", sources[i].title);
        json_text(w, "publisher", sources[i].publisher);
        json_text(w, "date", sources[i].date);
        json_text(w, "note", sources[i].note);
        json_text(w, "kind", sources[i].kind);
        json_end_map(w);
    }
    json_end_array(w);
}

static void json_gpu(writer *w, const habitat_gpu_table *table, const habitat_gpu *gpu) {
    char text[TEXT_BYTES];
    size_t count;
    const char *const *aliases = habitat_gpu_aliases(table, gpu, &count);
    json_map(w, NULL);
    json_text(w, "name", gpu->name);
    json_array(w, "aliases");
    for (size_t i = 0; i < count; i++)
        json_text(w, NULL, aliases[i]);
    json_end_array(w);
    compute_capability(gpu, text, sizeof text);
    json_text(w, "compute_capability", gpu->compute_capability ? text : NULL);
    for (size_t i = 0; i < FIELDS; i++)
        json_field(w, gpu, &fields[i]);
    json_map(w, "peak");
    json_rates(w, "matrix_flop_per_s", gpu->peak.matrix_flop_per_s);
    json_rates(w, "plain_flop_per_s", gpu->peak.plain_flop_per_s);
    json_end_map(w);
    json_sustained(w, gpu);
    json_map(w, "limits");
    for (size_t i = 0; i < LIMIT_FIELDS; i++)
        json_field(w, gpu, &limit_fields[i]);
    json_end_map(w);
    const char *const *notes = habitat_gpu_notes(gpu, &count);
    json_array(w, "notes");
    for (size_t i = 0; i < count; i++)
        json_text(w, NULL, notes[i]);
    json_end_array(w);
    json_gpu_operations(w, gpu);
    json_host(w, gpu);
    json_text(w, "file", gpu->file);
    json_sources(w, table, gpu);
    json_end_map(w);
}

static void json_head(writer *w, const char *list) {
    json_start(w);
    json_map(w, NULL);
    json_integer(w, "schema", 1);
    json_text(w, "habitat", habitat_version());
    json_array(w, list);
}

static void json_foot(writer *w) {
    json_end_array(w);
    json_end_map(w);
}

/* ---- all GPUs ---- */

static void csv_gpus(writer *w, const habitat_gpu_table *table) {
    char text[TEXT_BYTES];
    csv_text(w, "name");
    csv_text(w, "compute_capability");
    for (size_t i = 0; i < FIELDS; i++)
        csv_text(w, fields[i].key);
    for (int sustained = 0; sustained < 2; sustained++)
        for (int matrix = 1; matrix >= 0; matrix--)
            for (size_t i = 0; i < RATE_DTYPES; i++) {
                snprintf(text, sizeof text, "%s_%s_%s_flop_per_s", sustained ? "sustained" : "peak",
                         matrix ? "matrix" : "plain", habitat_dtype_name(rate_dtypes[i]));
                csv_text(w, text);
            }
    csv_text(w, "sustained_bandwidth_bytes_per_s");
    csv_text(w, "file");
    csv_end_row(w);
    size_t count = habitat_gpu_count(table);
    for (size_t g = 0; g < count; g++) {
        const habitat_gpu *gpu = habitat_gpu_at(table, g);
        csv_text(w, gpu->name);
        compute_capability(gpu, text, sizeof text);
        csv_text(w, gpu->compute_capability ? text : NULL);
        for (size_t i = 0; i < FIELDS; i++)
            if (fields[i].kind == FIELD_TEXT)
                csv_text(w, field_text(gpu, &fields[i]));
            else
                csv_number(w, field_number(gpu, &fields[i]));
        const double *rates[] = {gpu->peak.matrix_flop_per_s, gpu->peak.plain_flop_per_s,
                                 gpu->sustained.matrix_flop_per_s, gpu->sustained.plain_flop_per_s};
        for (size_t r = 0; r < 4; r++)
            for (size_t i = 0; i < RATE_DTYPES; i++)
                csv_number(w, rates[r][rate_dtypes[i]]);
        csv_number(w, gpu->sustained_bandwidth_bytes_per_s);
        csv_text(w, gpu->file);
        csv_end_row(w);
    }
}

habitat_status habitat_report_gpus(const habitat_gpu_table *table,
                                   const habitat_report_options *options, habitat_error *err) {
    writer w;
    habitat_status status = writer_start(&w, options, err);
    if (status != HABITAT_OK)
        return status;
    if (!table)
        return habitat_fail(err, HABITAT_E_ARG, "no table of GPUs given");
    if (options->format == HABITAT_REPORT_JSON) {
        json_head(&w, "gpus");
        for (size_t i = 0; i < habitat_gpu_count(table); i++)
            json_gpu(&w, table, habitat_gpu_at(table, i));
        json_foot(&w);
    } else if (options->format == HABITAT_REPORT_CSV) {
        csv_gpus(&w, table);
    } else {
        text_gpus(&w, table);
    }
    return writer_finish(&w, err);
}

/* ---- one GPU: values with unit and source ---- */

/* Receives one value at a time, as the form wants it. */
typedef struct value {
    const char *key, *label, *unit, *text; /* text: for FIELD_TEXT, else NULL */
    double number, shown;                  /* undivided; in `unit` */
    const char *note;                      /* "estimated", "measured" or NULL */
    const habitat_gpu_source *source;      /* NULL where none is given */
} value;
typedef void (*take_value)(void *context, const value *v);

typedef struct walk {
    const habitat_gpu *gpu;
    take_value take;
    void *context;
} walk;

/* AMD's links have a key of their own in the files, and are the same value. */
static const habitat_gpu_source *field_source(const habitat_gpu *gpu, const gpu_field *f) {
    const habitat_gpu_source *source = habitat_gpu_source_of(gpu, f->source);
    if (!source && f->offset == offsetof(habitat_gpu, nvlink_bytes_per_s))
        source = habitat_gpu_source_of(gpu, "infinity_fabric_bidirectional_gb_per_s");
    return source;
}

static void walk_field(const walk *s, const gpu_field *f) {
    value v = {.key = f->key, .label = f->label, .unit = f->unit, .number = NAN};
    if (f->kind == FIELD_TEXT)
        v.text = field_text(s->gpu, f);
    else
        v.number = field_number(s->gpu, f);
    v.shown = v.number / f->divisor;
    if (v.text || isfinite(v.number))
        v.source = field_source(s->gpu, f);
    s->take(s->context, &v);
}

static void walk_rates(const walk *s, bool sustained, bool matrix) {
    const habitat_rates *both = sustained ? &s->gpu->sustained : &s->gpu->peak;
    const double *rates = matrix ? both->matrix_flop_per_s : both->plain_flop_per_s;
    const bool *estimated =
        matrix ? s->gpu->sustained_matrix_estimated : s->gpu->sustained_plain_estimated;
    for (size_t i = 0; i < RATE_DTYPES; i++) {
        habitat_dtype dtype = rate_dtypes[i];
        const char *name = habitat_dtype_name(dtype), *unit = matrix ? "matrix" : "plain";
        char key[TEXT_BYTES], label[TEXT_BYTES], covered[TEXT_BYTES];
        if (!isfinite(rates[dtype]))
            continue;
        snprintf(key, sizeof key, "%s_%s_%s_flop_per_s", sustained ? "sustained" : "peak", unit,
                 name);
        snprintf(label, sizeof label, "%s, %s, %s", sustained ? "sustained" : "peak", unit, name);
        if (sustained)
            snprintf(covered, sizeof covered, "sustained.%s_tflop_per_s.%s", unit, name);
        else
            snprintf(covered, sizeof covered, "peak_dense_tflop_per_s.%s.%s", unit, name);
        value v = {.key = key, .label = label, .unit = "TFLOP/s", .number = rates[dtype]};
        v.shown = v.number / 1e12;
        if (sustained)
            v.note = estimated[dtype] ? "estimated" : "measured";
        if (!sustained || !estimated[dtype])
            v.source = habitat_gpu_source_of(s->gpu, covered);
        s->take(s->context, &v);
    }
}

static void walk_gpu(const habitat_gpu *gpu, take_value take, void *context) {
    walk s = {.gpu = gpu, .take = take, .context = context};
    char text[TEXT_BYTES];
    compute_capability(gpu, text, sizeof text);
    value v = {.key = "compute_capability", .label = "compute capability", .unit = ""};
    v.number = v.shown = NAN;
    v.text = gpu->compute_capability ? text : NULL;
    v.source = v.text ? habitat_gpu_source_of(gpu, "compute_capability") : NULL;
    take(context, &v);
    for (size_t i = 0; i < FIELDS; i++)
        walk_field(&s, &fields[i]);
    walk_rates(&s, false, true);
    walk_rates(&s, false, false);
    walk_rates(&s, true, true);
    walk_rates(&s, true, false);
    v = (value){.key = "sustained_bandwidth_bytes_per_s",
                .label = "sustained bandwidth",
                .unit = "GB/s",
                .number = gpu->sustained_bandwidth_bytes_per_s,
                .note = gpu->sustained_bandwidth_estimated ? "estimated" : "measured"};
    v.shown = v.number / HABITAT_GB;
    if (!gpu->sustained_bandwidth_estimated)
        v.source = habitat_gpu_source_of(gpu, "sustained.dram_gb_per_s");
    take(context, &v);
    for (size_t i = 0; i < LIMIT_FIELDS; i++)
        walk_field(&s, &limit_fields[i]);
    for (size_t i = 0; gpu->host.launch_ns > 0.0 && i < HOST_FIELDS; i++)
        walk_field(&s, &host_fields[i]);
    if (gpu->operation_count == 0)
        return;
    v = (value){.key = "measured_operations",
                .label = "measured operations",
                .unit = "",
                .number = (double)gpu->operation_count,
                .note = "measured",
                .source = habitat_gpu_source_of(gpu, "operations")};
    v.shown = v.number;
    take(context, &v);
}

static void take_text(void *context, const value *v) {
    text_table *t = context;
    char number[32];
    table_row(t, STYLE_PLAIN);
    table_cell(t, 0, "%s", v->label);
    if (v->text) {
        table_cell(t, 1, "%s", v->text);
    } else if (isfinite(v->shown)) {
        /* counts in full, rates with the digits a source gives */
        habitat_format(number, sizeof number, v->shown == floor(v->shown) ? "%.0f" : "%.4g",
                       v->shown);
        table_cell(t, 1, "%s", number);
    } else {
        table_cell(t, 1, "-");
    }
    bool known = v->text || isfinite(v->shown);
    table_cell(t, 2, "%s", known ? v->unit : "");
    const char *estimated = v->note && strcmp(v->note, "estimated") == 0 ? "estimated by rule" : "";
    table_cell(t, 3, "%s", !known ? "" : v->source ? v->source->id : estimated);
}

/* Each source once, in the order of first mention. */
static void text_sources(writer *w, const habitat_gpu_table *table, const habitat_gpu *gpu) {
    size_t count;
    const habitat_gpu_source *sources = habitat_gpu_sources(table, gpu, &count);
    writer_text(w, "\nSources\n");
    for (size_t i = 0; i < count; i++) {
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = strcmp(sources[j].id, sources[i].id) == 0;
        char line[1024], first[TEXT_BYTES];
        if (seen)
            continue;
        const habitat_gpu_source *source = &sources[i];
        char all[1024];
        snprintf(all, sizeof all, "%s%s%s%s%s%s%s", source->title ? source->title : "",
                 source->publisher ? "; " : "", source->publisher ? source->publisher : "",
                 source->date ? ", " : "", source->date ? source->date : "",
                 source->note ? ". " : "", source->note ? source->note : "");
        clean_text(line, sizeof line, all);
        if (source->kind && strcmp(source->kind, source->id) != 0)
            snprintf(first, sizeof first, "  %.80s (%.30s): ", source->id, source->kind);
        else
            snprintf(first, sizeof first, "  %.100s: ", source->id);
        wrapped_text(w, first, 4, line);
    }
}

static habitat_status text_gpu(writer *w, const habitat_gpu_table *table_of_gpus,
                               const habitat_gpu *gpu, habitat_error *err) {
    static const table_column columns[] = {
        {"value", false, false}, {"", true, true}, {"unit", false, false}, {"source", false, true}};
    char line[1024] = "";
    size_t count, used = 0;
    const char *const *aliases = habitat_gpu_aliases(table_of_gpus, gpu, &count);
    styled_text(w, STYLE_BOLD, gpu->name);
    writer_text(w, "\n");
    for (size_t i = 0; i < count && used < sizeof line; i++) {
        int size = snprintf(line + used, sizeof line - used, "%s%s", i ? ", " : "", aliases[i]);
        used += size > 0 ? (size_t)size : 0;
    }
    if (count > 0)
        wrapped_text(w, "Also: ", 6, line);
    writer_text(w, "\n");
    text_table t;
    table_start(&t, columns, 4);
    walk_gpu(gpu, take_text, &t);
    table_write(&t, w);
    habitat_status status = text_gpu_operations(w, gpu, err);
    if (status != HABITAT_OK)
        return status;
    text_sources(w, table_of_gpus, gpu);
    const char *const *notes = habitat_gpu_notes(gpu, &count);
    writer_text(w, count ? "\nNotes\n" : "");
    for (size_t i = 0; i < count; i++) {
        clean_text(line, sizeof line, notes[i]);
        wrapped_text(w, "  ", 4, line);
    }
    if (gpu->file)
        writer_printf(w, "\nEntry: %s\n", gpu->file);
    return HABITAT_OK;
}

static void take_csv(void *context, const value *v) {
    writer *w = context;
    csv_text(w, v->key);
    if (v->text)
        csv_text(w, v->text);
    else
        csv_number(w, v->number);
    csv_text(w, v->note);
    csv_text(w, v->source ? v->source->id : NULL);
    csv_text(w, v->source ? v->source->title : NULL);
    csv_text(w, v->source ? v->source->kind : NULL);
    csv_end_row(w);
}

habitat_status habitat_report_gpu(const habitat_gpu_table *table, const habitat_gpu *gpu,
                                  const habitat_report_options *options, habitat_error *err) {
    static const char *const header[] = {"field",  "value",        "from",
                                         "source", "source_title", "source_kind"};
    writer w;
    habitat_status status = writer_start(&w, options, err);
    if (status != HABITAT_OK)
        return status;
    if (!table || !gpu)
        return habitat_fail(err, HABITAT_E_ARG, "no GPU given");
    if (options->format == HABITAT_REPORT_JSON) {
        json_head(&w, "gpus");
        json_gpu(&w, table, gpu);
        json_foot(&w);
    } else if (options->format == HABITAT_REPORT_CSV) {
        csv_header(&w, header, 6);
        walk_gpu(gpu, take_csv, &w);
    } else {
        status = text_gpu(&w, table, gpu, err);
        if (status != HABITAT_OK)
            return status;
    }
    return writer_finish(&w, err);
}

/* ---- findings ---- */

habitat_status habitat_report_findings(const habitat_gpu_table *table,
                                       const habitat_gpu_finding *findings, size_t count,
                                       const habitat_report_options *options, habitat_error *err) {
    static const char *const header[] = {"gpu", "finding"};
    writer w;
    habitat_status status = writer_start(&w, options, err);
    if (status != HABITAT_OK)
        return status;
    if (!table || (count > 0 && !findings))
        return habitat_fail(err, HABITAT_E_ARG, "no findings given");
    if (options->format == HABITAT_REPORT_JSON) {
        json_head(&w, "findings");
        for (size_t i = 0; i < count; i++) {
            json_map(&w, NULL);
            json_text(&w, "gpu", findings[i].gpu);
            json_text(&w, "finding", findings[i].message);
            json_end_map(&w);
        }
        json_end_array(&w);
        json_integer(&w, "gpus", habitat_gpu_count(table));
        json_end_map(&w);
    } else if (options->format == HABITAT_REPORT_CSV) {
        csv_header(&w, header, 2);
        for (size_t i = 0; i < count; i++) {
            csv_text(&w, findings[i].gpu);
            csv_text(&w, findings[i].message);
            csv_end_row(&w);
        }
    } else {
        for (size_t i = 0; i < count; i++) {
            char first[TEXT_BYTES];
            snprintf(first, sizeof first, "%.64s: ", findings[i].gpu);
            wrapped_text(&w, first, 4, findings[i].message);
        }
        writer_printf(&w, "%zu GPUs checked, %zu finding%s\n", habitat_gpu_count(table), count,
                      count == 1 ? "" : "s");
    }
    return writer_finish(&w, err);
}
