/* The counted work of real recordings (data/recordings, an H200): every kernel's operation is
 * known, and no operation does more flop or moves more bytes a second than the GPU can.
 *
 * `test_work_recorded -v FILE...` prints what is not counted and the fastest operations. */
#include "check.h"

#include <glob.h>
#include <stdlib.h>

#include <habitat/trace.h>
#include <habitat/work.h>

/* NVIDIA H200 SXM data sheet, dense: plain fp32 67, TF32 494.7, fp16 and bf16 989.4 TFLOP/s;
 * 4.8 TB/s; 50 MB of L2 (H100 white paper; the H200 has the same chip). */
static const double dram_bytes_per_s = 4.8e12, l2_bytes = 50e6;

static double peak_flop_per_s(habitat_dtype dtype, bool matrix) {
    switch (dtype) {
    case HABITAT_DTYPE_TF32:
        return 494.7e12;
    case HABITAT_DTYPE_FP16:
    case HABITAT_DTYPE_BF16:
        return matrix ? 989.4e12 : 133.8e12;
    case HABITAT_DTYPE_FP64:
        return matrix ? 66.9e12 : 33.5e12;
    default:
        return 66.9e12;
    }
}

/* What one operation's own kernels did. */
typedef struct owner {
    double ms, peak; /* the fastest arithmetic among its kernels */
    habitat_dtype list_dtype;
    bool winograd; /* fewer multiplications than the definition: up to 4 times faster */
} owner;

typedef struct tally {
    double total_ms, counted_ms, recognised_ms, optimizer_ms, unknown_ms, none_ms;
    int too_fast, too_much_traffic, checked;
} tally;

static bool verbose;

static void gather(const habitat_kernel *kernels, size_t count, const habitat_operation *ops,
                   owner *owners) {
    for (size_t i = 0; i < count; i++) {
        const habitat_kernel *k = &kernels[i];
        if (k->operation == HABITAT_NONE)
            continue;
        owner *o = &owners[k->operation];
        o->ms += (double)k->duration_ns / 1e6;
        if (o->list_dtype == HABITAT_DTYPE_UNKNOWN)
            o->list_dtype = habitat_kernel_tensor_dtype(k->form->name);
        habitat_work work = {0};
        bool matrix = false;
        habitat_operation_work_typed(&ops[k->operation], o->list_dtype, &work);
        habitat_dtype dtype = habitat_kernel_arithmetic(k->form->name, &work, &matrix);
        o->winograd =
            o->winograd || strstr(k->form->name, "winograd") || strstr(k->form->name, "fft");
        o->peak = fmax(o->peak, peak_flop_per_s(dtype, matrix));
    }
}

static void check_owner(const char *file, const habitat_operation *op, const owner *o, tally *t) {
    habitat_work work = {0};
    habitat_status status = habitat_operation_work_typed(op, o->list_dtype, &work);
    if (status != HABITAT_OK)
        t->unknown_ms += o->ms;
    else if (work.known)
        t->counted_ms += o->ms;
    else if (work.op_class == HABITAT_CLASS_OPTIMIZER) /* lists: shapes are not recorded */
        t->optimizer_ms += o->ms;
    else
        t->recognised_ms += o->ms;
    if (verbose && (status != HABITAT_OK || !work.known))
        printf("# %s: not counted: %s (%s) %.3f ms\n", file, op->form->name,
               habitat_status_name(status), o->ms);
    if (status != HABITAT_OK || !work.known)
        return;
    double seconds = o->ms / 1e3, bytes = work.read_bytes + work.write_bytes;
    if (work.op_class == HABITAT_CLASS_EMBEDDING) /* repeated rows come from the cache */
        bytes = work.write_bytes;
    double flop_share = work.flop / seconds / o->peak;
    double byte_share = bytes / seconds / dram_bytes_per_s;
    t->checked++;
    /* what fits the cache may never reach memory */
    bool fast = flop_share > (o->winograd ? 4 : 1),
         traffic = byte_share > 1 && bytes > 4 * l2_bytes;
    t->too_fast += fast;
    t->too_much_traffic += traffic;
    if (fast || traffic || (verbose && (flop_share > 0.8 || byte_share > 0.9)))
        printf("# %s: %s %.4f ms: %.0f %% of peak flop, %.0f %% of memory bandwidth, %.1f MB\n",
               file, op->form->name, o->ms, 100 * flop_share, 100 * byte_share, bytes / 1e6);
}

static void check_file(const char *path, tally *t) {
    habitat_trace *trace = NULL;
    habitat_error err = {0};
    if (habitat_trace_read(path, &trace, &err) != HABITAT_OK) {
        printf("# %s\n", err.message);
        CHECK(trace != NULL);
        return;
    }
    size_t kernel_count, op_count;
    const habitat_kernel *kernels = habitat_trace_kernels(trace, &kernel_count);
    const habitat_operation *ops = habitat_trace_operations(trace, &op_count);
    owner *owners = calloc(op_count + 1, sizeof *owners);
    CHECK(owners != NULL);
    if (owners) {
        gather(kernels, kernel_count, ops, owners);
        for (size_t i = 0; i < kernel_count; i++) {
            t->total_ms += (double)kernels[i].duration_ns / 1e6;
            if (kernels[i].operation == HABITAT_NONE)
                t->none_ms += (double)kernels[i].duration_ns / 1e6;
        }
        const char *name = strrchr(path, '/');
        for (size_t i = 0; i < op_count; i++)
            if (owners[i].ms > 0)
                check_owner(name ? name + 1 : path, &ops[i], &owners[i], t);
    }
    free(owners);
    habitat_trace_free(trace);
}

int main(int argc, char **argv) {
    verbose = argc > 1 && !strcmp(argv[1], "-v");
    glob_t files = {0};
    if (argc > (verbose ? 2 : 1)) {
        for (int i = verbose ? 2 : 1; i < argc; i++)
            glob(argv[i], i > (verbose ? 2 : 1) ? GLOB_APPEND : 0, NULL, &files);
    } else {
        glob(HABITAT_SOURCE_DIR "/data/recordings/*.json.gz", 0, NULL, &files);
    }
    CHECK(files.gl_pathc > 0);
    check_case("there are recordings");
    for (size_t i = 0; i < files.gl_pathc; i++) {
        tally t = {0};
        check_file(files.gl_pathv[i], &t);
        const char *name = strrchr(files.gl_pathv[i], '/');
        name = name ? name + 1 : files.gl_pathv[i];
        printf("# %s: %.2f ms; counted %.2f %%, optimizer lists %.2f %%, class only %.2f %%, "
               "unknown %.2f %%, without "
               "operation %.2f %%\n",
               name, t.total_ms, 100 * t.counted_ms / t.total_ms, 100 * t.optimizer_ms / t.total_ms,
               100 * t.recognised_ms / t.total_ms, 100 * t.unknown_ms / t.total_ms,
               100 * t.none_ms / t.total_ms);
        CHECK(t.recognised_ms + t.unknown_ms + t.none_ms < 0.01 * t.total_ms);
        CHECK(t.counted_ms + t.optimizer_ms > 0.99 * t.total_ms);
        CHECK_INT(t.too_fast, 0);
        CHECK_INT(t.too_much_traffic, 0);
        CHECK(t.checked > 30); /* the forward pass of VGG-16 has 52 kernels */
        check_case(name);
    }
    globfree(&files);
    return check_done();
}
