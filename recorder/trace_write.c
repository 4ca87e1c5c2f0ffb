/* Writes a recording as the Chrome trace that Kineto writes (docs/cuda-recorder.md), one event a
 * line. Written by hand rather than through a library: this code runs inside other people's
 * processes, at their exit.
 *
 * A kernel's name and its launch configuration ("registers per thread" to "block") stand in a fixed
 * order, since counters are matched by that text (counters_merge.c). */
#define _GNU_SOURCE
#include "trace_write.h"

#include "decimal.h"
#include "redact.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    uint32_t correlation;
    uint64_t start_ns;
} launch;

typedef struct {
    FILE *file;
    const store *s;
    const trace_options *options;
    uint64_t base_ns;
    event **sorted;
    launch *launches; /* runtime calls by correlation, then driver calls */
    size_t n_launches, n_runtime;
    external_info *externals; /* by correlation */
    event **iterations;
    size_t n_iterations;
    char **demangled; /* per string id; NULL: not yet or keep */
    bool first;
} writer;

/* Length of the UTF-8 sequence at `p`, 0 when it is none. */
static size_t character_bytes(const unsigned char *p) {
    if (p[0] < 0x80)
        return 1;
    size_t n = p[0] >= 0xf0 && p[0] <= 0xf4  ? 4
               : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
               : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
                                             : 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if (n == 3 && ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f)))
        return 0;
    if (n == 4 && ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)))
        return 0;
    return n;
}

void json_string(FILE *file, const char *text) {
    putc('"', file);
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        size_t n = character_bytes(p);
        if (n == 0) {
            fputs("\\ufffd", file);
            n = 1;
        } else if (*p == '"' || *p == '\\') {
            putc('\\', file);
            putc(*p, file);
        } else if (*p < 0x20 || *p == 0x7f) {
            fprintf(file, "\\u%04x", *p);
        } else {
            fwrite(p, 1, n, file);
        }
        p += n;
    }
    putc('"', file);
}

char *demangle(const char *name) {
    if (strncmp(name, "_Z", 2) != 0)
        return NULL;
    union {
        void *object;
        char *(*function)(const char *, char *, size_t *, int *);
    } u = {.object = dlsym(RTLD_DEFAULT, "__cxa_demangle")};
    if (!u.object) {
        void *runtime = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        if (runtime)
            u.object = dlsym(runtime, "__cxa_demangle");
    }
    if (!u.object)
        return NULL;
    int status = -1;
    char *plain = u.function(name, NULL, NULL, &status);
    if (status == 0)
        return plain; /* cppcheck-suppress returnDanglingLifetime ; it is malloc()ed */
    free(plain);
    return NULL;
}

static const char *text_of(const writer *w, uint32_t id) {
    return id < w->s->n_strings ? w->s->strings[id] : "";
}

static const char *kernel_name(writer *w, uint32_t id) {
    if (w->demangled && id < w->s->n_strings) {
        if (!w->demangled[id])
            w->demangled[id] = demangle(w->s->strings[id]);
        if (w->demangled[id])
            return w->demangled[id];
    }
    return text_of(w, id);
}

static int by_start(const void *a, const void *b) {
    const event *x = *(event *const *)a, *y = *(event *const *)b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1; /* what contains the other comes first */
    return x->type < y->type ? -1 : x->type > y->type;
}

static int by_correlation(const void *a, const void *b) {
    const launch *x = a, *y = b;
    return x->correlation < y->correlation ? -1 : x->correlation > y->correlation;
}

static const launch *find_launch(const launch *from, size_t n, uint32_t correlation) {
    launch key = {.correlation = correlation};
    return n ? bsearch(&key, from, n, sizeof key, by_correlation) : NULL;
}

static int externals_by_correlation(const void *a, const void *b) {
    const external_info *x = a, *y = b;
    return x->correlation < y->correlation ? -1 : x->correlation > y->correlation;
}

static bool is_iteration(const writer *w, const event *e) {
    return w->options->nvtx_range && e->type == EVENT_RANGE &&
           strcmp(text_of(w, e->name), w->options->nvtx_range) == 0;
}

/* Sorts the events and finds launches and iterations. */
static int prepare(writer *w) {
    const store *s = w->s;
    size_t n = s->n_events ? s->n_events : 1;
    w->sorted = malloc(n * sizeof *w->sorted);
    w->launches = malloc(n * sizeof *w->launches);
    w->iterations = malloc(n * sizeof *w->iterations);
    w->demangled = calloc(s->n_strings ? s->n_strings : 1, sizeof *w->demangled);
    w->externals = malloc((s->n_externals ? s->n_externals : 1) * sizeof *w->externals);
    if (!w->sorted || !w->launches || !w->iterations || !w->demangled || !w->externals)
        return -1;
    if (s->n_externals) {
        memcpy(w->externals, s->externals, s->n_externals * sizeof *w->externals);
        qsort(w->externals, s->n_externals, sizeof *w->externals, externals_by_correlation);
    }
    for (size_t i = 0; i < s->n_events; i++)
        w->sorted[i] = store_at(s, i);
    qsort(w->sorted, s->n_events, sizeof *w->sorted, by_start);
    for (int driver = 0; driver < 2; driver++) {
        for (size_t i = 0; i < s->n_events; i++) {
            const event *e = w->sorted[i];
            if (e->type == EVENT_API && e->u.api.driver == (driver != 0))
                w->launches[w->n_launches++] = (launch){e->correlation, e->start_ns};
        }
        if (!driver)
            w->n_runtime = w->n_launches;
    }
    if (w->n_runtime)
        qsort(w->launches, w->n_runtime, sizeof *w->launches, by_correlation);
    if (w->n_launches > w->n_runtime)
        qsort(w->launches + w->n_runtime, w->n_launches - w->n_runtime, sizeof *w->launches,
              by_correlation);
    unsigned seen = 0;
    for (size_t i = 0; i < s->n_events; i++) {
        if (!is_iteration(w, w->sorted[i]) || seen++ < w->options->warmup)
            continue;
        if (w->options->iterations && w->n_iterations == w->options->iterations)
            break;
        w->iterations[w->n_iterations++] = w->sorted[i];
    }
    if (s->n_events)
        w->base_ns = w->sorted[0]->start_ns / 1000000000u * 1000000000u;
    return 0;
}

/* Whether an event belongs to a kept iteration: by the time of its launch for work on the GPU, by
 * its own otherwise. */
static bool kept(const writer *w, const event *e) {
    if (!w->options->nvtx_range)
        return true;
    uint64_t at_ns = e->start_ns;
    if (e->type == EVENT_KERNEL || e->type == EVENT_MEMCPY || e->type == EVENT_MEMSET) {
        const launch *from = find_launch(w->launches, w->n_runtime, e->correlation);
        if (!from)
            from = find_launch(w->launches + w->n_runtime, w->n_launches - w->n_runtime,
                               e->correlation);
        if (from)
            at_ns = from->start_ns;
    }
    size_t low = 0, high = w->n_iterations; /* the last iteration that starts at or before at_ns */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (w->iterations[middle]->start_ns <= at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && at_ns <= w->iterations[low - 1]->end_ns;
}

/* Opens an event: everything up to its args. */
static void begin(writer *w, const char *category, const char *name, int64_t pid, int64_t tid,
                  const event *e) {
    FILE *f = w->file;
    uint64_t at_ns = e->start_ns - w->base_ns, length_ns = e->end_ns - e->start_ns;
    fputs(w->first ? "\n" : ",\n", f);
    w->first = false;
    fprintf(f, "{\"ph\": \"X\", \"cat\": \"%s\", \"name\": ", category);
    json_string(f, name);
    fprintf(f,
            ", \"pid\": %" PRId64 ", \"tid\": %" PRId64 ", \"ts\": %" PRIu64
            ".%03u, \"dur\": %" PRIu64 ".%03u",
            pid, tid, at_ns / 1000, (unsigned)(at_ns % 1000), length_ns / 1000,
            (unsigned)(length_ns % 1000));
    fputs(", \"args\": {", f);
}

/* Only programs that push ids to CUPTI have any. */
static void write_external(writer *w, uint32_t correlation) {
    external_info key = {.correlation = correlation};
    const external_info *found = w->s->n_externals ? bsearch(&key, w->externals, w->s->n_externals,
                                                             sizeof key, externals_by_correlation)
                                                   : NULL;
    if (found)
        fprintf(w->file, "\"External id\": %" PRIu64 ", ", found->id);
}

static const device_info *device_of(const store *s, uint32_t id) {
    for (size_t i = 0; i < s->n_devices; i++)
        if (s->devices[i].id == id)
            return &s->devices[i];
    return NULL;
}

static void write_kernel(writer *w, const event *e) {
    FILE *f = w->file;
    const int32_t *g = e->u.kernel.grid, *b = e->u.kernel.block;
    begin(w, "kernel", kernel_name(w, e->name), e->u.kernel.device, e->u.kernel.stream, e);
    write_external(w, e->correlation);
    fprintf(f,
            "\"queued\": 0, \"device\": %u, \"context\": %u, \"stream\": %u, \"correlation\": %u, ",
            e->u.kernel.device, e->u.kernel.context, e->u.kernel.stream, e->correlation);
    const device_info *device = device_of(w->s, e->u.kernel.device);
    if (device && device->sm_count && device->warp_size) {
        double blocks = (double)g[0] * g[1] * g[2] / device->sm_count;
        double warps = blocks * b[0] * b[1] * b[2] / device->warp_size;
        fputs("\"blocks per SM\": ", f);
        decimal_write(f, blocks);
        fputs(", \"warps per SM\": ", f);
        decimal_write(f, warps);
        fputs(", ", f);
    }
    if (e->u.kernel.graph_id)
        fprintf(f, "\"graph id\": %u, \"graph node id\": %" PRIu64 ", ", e->u.kernel.graph_id,
                e->u.kernel.graph_node_id);
    const uint32_t *c = e->u.kernel.cluster;
    if ((uint64_t)c[0] * c[1] * c[2] > 1)
        fprintf(f, "\"cluster\": [%u, %u, %u], ", c[0], c[1], c[2]);
    fprintf(f,
            "\"registers per thread\": %u, \"shared memory\": %u, \"grid\": [%d, %d, %d], "
            "\"block\": [%d, %d, %d]}}",
            e->u.kernel.registers, e->u.kernel.shared_bytes, g[0], g[1], g[2], b[0], b[1], b[2]);
}

static const char *memory_kind(unsigned kind) {
    static const char *const names[] = {"Unknown", "Pageable", "Pinned",        "Device",
                                        "Array",   "Managed",  "Device Static", "Managed Static"};
    return kind < sizeof names / sizeof *names ? names[kind] : "Unknown";
}

static const char *copy_kind(unsigned kind) {
    static const char *const names[] = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                        "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
    return kind < sizeof names / sizeof *names ? names[kind] : "Unknown";
}

static void write_copy(writer *w, const event *e) {
    char name[96];
    bool set = e->type == EVENT_MEMSET;
    if (set)
        snprintf(name, sizeof name, "Memset (%s)", memory_kind(e->u.copy.dst));
    else
        snprintf(name, sizeof name, "Memcpy %s (%s -> %s)", copy_kind(e->u.copy.kind),
                 memory_kind(e->u.copy.src), memory_kind(e->u.copy.dst));
    begin(w, set ? "gpu_memset" : "gpu_memcpy", name, e->u.copy.device, e->u.copy.stream, e);
    write_external(w, e->correlation);
    fprintf(
        w->file,
        "\"device\": %u, \"context\": %u, \"stream\": %u, \"correlation\": %u, \"bytes\": %" PRIu64,
        e->u.copy.device, e->u.copy.context, e->u.copy.stream, e->correlation, e->u.copy.bytes);
    if (e->u.copy.src_device != e->u.copy.dst_device)
        fprintf(w->file, ", \"src device\": %u, \"dst device\": %u", e->u.copy.src_device,
                e->u.copy.dst_device);
    if (e->end_ns > e->start_ns) {
        fputs(", \"memory bandwidth (GB/s)\": ", w->file);
        decimal_write(w->file, (double)e->u.copy.bytes / (double)(e->end_ns - e->start_ns));
    }
    fputs("}}", w->file);
}

static bool write_api(writer *w, const event *e) {
    /* A runtime launch makes a driver launch of the same correlation: one of them says it all. */
    if (e->u.api.driver && find_launch(w->launches, w->n_runtime, e->correlation))
        return false;
    begin(w, e->u.api.driver ? "cuda_driver" : "cuda_runtime", text_of(w, e->name), e->u.api.pid,
          e->u.api.tid, e);
    write_external(w, e->correlation);
    fprintf(w->file, "\"cbid\": %u, \"correlation\": %u", e->u.api.cbid, e->correlation);
    if (e->u.api.result)
        fprintf(w->file, ", \"result\": %u", e->u.api.result);
    fputs("}}", w->file);
    return true;
}

static void write_range(writer *w, const event *e) {
    /* A range that ends on another thread nests in nothing: it is shown, but is no operation. */
    begin(w, e->u.range.other_thread ? "user_annotation" : "cpu_op", text_of(w, e->name),
          e->u.range.pid, e->u.range.tid, e);
    fputs("\"nvtx\": true", w->file);
    if (*text_of(w, e->u.range.domain)) {
        fputs(", \"domain\": ", w->file);
        json_string(w->file, text_of(w, e->u.range.domain));
    }
    fputs("}}", w->file);
}

static void write_sync(writer *w, const event *e) {
    static const char *const names[] = {"Synchronization", "Event Sync", "Stream Wait Event",
                                        "Stream Sync", "Context Sync"};
    uint32_t device = 0;
    for (size_t i = 0; i < w->s->n_contexts; i++)
        if (w->s->contexts[i].context == e->u.sync.context)
            device = w->s->contexts[i].device;
    bool no_stream = e->u.sync.stream == UINT32_MAX;
    begin(w, "cuda_sync", names[e->u.sync.kind < 5 ? e->u.sync.kind : 0], device,
          no_stream ? -1 : (int64_t)e->u.sync.stream, e);
    fprintf(w->file, "\"device\": %u, \"context\": %u, \"correlation\": %u", device,
            e->u.sync.context, e->correlation);
    if (!no_stream)
        fprintf(w->file, ", \"stream\": %u", e->u.sync.stream);
    fputs("}}", w->file);
}

static void write_overhead(writer *w, const event *e) {
    begin(w, "overhead", text_of(w, e->name), -1, 0, e);
    fputs("}}", w->file);
}

static bool write_event(writer *w, const event *e) {
    switch ((event_type)e->type) {
    case EVENT_KERNEL:
        write_kernel(w, e);
        return true;
    case EVENT_MEMCPY:
    case EVENT_MEMSET:
        write_copy(w, e);
        return true;
    case EVENT_API:
        return write_api(w, e);
    case EVENT_RANGE:
        write_range(w, e);
        return true;
    case EVENT_SYNC:
        write_sync(w, e);
        return true;
    case EVENT_OVERHEAD:
        write_overhead(w, e);
        return true;
    }
    return false;
}

static void write_devices(writer *w) {
    FILE *f = w->file;
    fputs("\"deviceProperties\": [", f);
    for (size_t i = 0; i < w->s->n_devices; i++) {
        const device_info *d = &w->s->devices[i];
        fprintf(f, "%s\n{\"id\": %u, \"name\": ", i ? "," : "", d->id);
        json_string(f, text_of(w, d->name));
        fprintf(f,
                ", \"totalGlobalMem\": %" PRIu64
                ", \"computeMajor\": %u, \"computeMinor\": %u, \"maxThreadsPerBlock\": %u, "
                "\"maxThreadsPerMultiprocessor\": %u, \"regsPerBlock\": %u, \"warpSize\": %u, "
                "\"sharedMemPerBlock\": %u, "
                "\"numSms\": %u, \"regsPerMultiprocessor\": %u, ",
                d->memory_bytes, d->cc_major, d->cc_minor, d->max_threads_per_block,
                d->max_warps_per_sm * d->warp_size, d->registers_per_block, d->warp_size,
                d->shared_per_block_bytes, d->sm_count, d->registers_per_sm);
        if (d->shared_optin_bytes)
            fprintf(f, "\"sharedMemPerBlockOptin\": %u, ", d->shared_optin_bytes);
        fprintf(f,
                "\"sharedMemPerMultiprocessor\": %u, \"maxBlocksPerMultiprocessor\": %u, "
                "\"l2CacheSize\": %u, "
                "\"clockRateKHz\": %u, \"memoryBandwidthKBPerSecond\": %" PRIu64 "}",
                d->shared_per_sm_bytes, d->max_blocks_per_sm, d->l2_bytes, d->core_clock_khz,
                d->bandwidth_kb_per_s);
    }
    fputs("],\n", f);
}

static void write_habitat(writer *w) {
    FILE *f = w->file;
    const trace_options *o = w->options;
    fputs("\"habitat\": {\"schema\": 1, \"recorder\": \"cupti\", \"command\": ", f);
    if (o->command)
        json_string(f, o->command);
    else
        fputs("null", f);
    if (o->cupti) {
        char *path = redact_home(o->cupti->path, getenv("HOME"));
        fputs(", \"cupti\": {\"path\": ", f);
        json_string(f, path ? path : "");
        free(path);
        fputs(", \"found\": ", f);
        json_string(f, o->cupti->why);
        fprintf(f, ", \"version\": %u}", o->cupti->version);
    }
    if (o->nvtx_range) {
        fputs(", \"nvtx_range\": ", f);
        json_string(f, o->nvtx_range);
        fprintf(f, ", \"iterations\": %zu", w->n_iterations);
    }
    fprintf(
        f, ", \"dropped_records\": %" PRIu64 ", \"incomplete_records\": %" PRIu64 ", \"message\": ",
        w->s->dropped + o->cupti_dropped, w->s->incomplete + w->s->n_open);
    if (o->message && *o->message)
        json_string(f, o->message);
    else
        fputs("null", f);
    fputs("},\n", f);
}

/* Names for Perfetto's tracks: the process, and each GPU. */
static void write_names(writer *w) {
    char name[64] = "";
    FILE *comm = fopen("/proc/self/comm", "re");
    if (comm) {
        if (!fgets(name, sizeof name, comm))
            name[0] = '\0';
        fclose(comm);
    }
    name[strcspn(name, "\n")] = '\0';
    fprintf(w->file,
            "\n{\"name\": \"process_name\", \"ph\": \"M\", \"ts\": 0.000, \"pid\": %ld, \"tid\": "
            "0, \"args\": {\"name\": ",
            (long)getpid());
    json_string(w->file, name);
    fputs("}}", w->file);
    for (size_t i = 0; i < w->s->n_devices; i++)
        fprintf(w->file,
                ",\n{\"name\": \"process_labels\", \"ph\": \"M\", \"ts\": 0.000, \"pid\": %u, "
                "\"tid\": 0, \"args\": {\"labels\": "
                "\"GPU %u\"}}",
                w->s->devices[i].id, w->s->devices[i].id);
    w->first = false;
}

static void write_all(writer *w, trace_counts *counts) {
    FILE *f = w->file;
    fputs("{\"schemaVersion\": 1,\n", f);
    write_devices(w);
    if (w->options->cupti)
        fprintf(f, "\"cuda_driver_version\": %d, \"cupti_version\": %u,\n",
                w->options->cupti->driver_version, w->options->cupti->version);
    write_habitat(w);
    fprintf(
        f, "\"displayTimeUnit\": \"ms\", \"baseTimeNanoseconds\": %" PRIu64 ",\n\"traceEvents\": [",
        w->base_ns);
    w->first = true;
    write_names(w);
    for (size_t i = 0; i < w->n_iterations; i++) {
        const event *e = w->iterations[i];
        begin(w, "user_annotation", "habitat_iteration", e->u.range.pid, e->u.range.tid, e);
        fprintf(f, "\"iteration\": %zu}}", i);
    }
    for (size_t i = 0; i < w->s->n_events; i++) {
        const event *e = w->sorted[i];
        if (!kept(w, e) || !write_event(w, e))
            continue;
        counts->events++;
        counts->kernels += e->type == EVENT_KERNEL;
    }
    counts->iterations = w->n_iterations;
    fputs("\n]}\n", f);
}

int trace_write(const store *s, const trace_options *options, const char *path,
                trace_counts *counts) {
    writer w = {.s = s, .options = options};
    memset(counts, 0, sizeof *counts);
    size_t length = strlen(path) + 32;
    char *temporary = malloc(length);
    int result = -1;
    if (temporary && prepare(&w) == 0) {
        snprintf(temporary, length, "%s.%ld.part", path, (long)getpid());
        w.file = fopen(temporary, "we");
        if (w.file) {
            write_all(&w, counts);
            bool failed = ferror(w.file) != 0;
            failed = fclose(w.file) != 0 || failed;
            if (!failed && rename(temporary, path) == 0) {
                result = 0;
            } else {
                int saved = errno;
                unlink(temporary);
                errno = saved;
            }
        }
    } else {
        errno = ENOMEM;
    }
    for (uint32_t i = 0; w.demangled && i < s->n_strings; i++)
        free(w.demangled[i]);
    free(w.demangled);
    free(w.sorted);
    free(w.launches);
    free(w.iterations);
    free(w.externals);
    free(temporary);
    return result;
}
