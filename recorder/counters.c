/* Hardware counters: DRAM bytes and floating-point operations of single kernels, through CUPTI's
 * Range Profiler.
 *
 * This is a run of its own (HABITAT_RECORD_MODE=counters): measuring replays each kernel several
 * times, so the times of this run mean nothing and none are written. Each pair of kernel and launch
 * configuration is measured once, at its first launch, when HABITAT_COUNTERS_SELECT lists it or
 * there is no such list. Written as JSON, one kernel a line, for counters_merge.c and the Python
 * package. Left out: kernels inside CUDA graphs, which have no launch of their own. */
#define _GNU_SOURCE
#include "counters.h"

#include "counter_metrics.h"
#include "cupti_profiler_abi.h"
#include "decimal.h"
#include "message.h"
#include "seen.h"
#include "selection.h"
#include "trace_write.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { METRICS = sizeof metric_table / sizeof *metric_table, NAME_SIZE = 96, MAX_CONTEXTS = 16 };

/* The profiler set up for one context. */
typedef struct {
    void *context;
    void *host, *range_profiler;
    uint8_t *availability, *config, *data;
    size_t config_bytes, data_bytes, passes;
    char names[METRICS]
              [NAME_SIZE]; /* what the chip has, with the roll-up: "dram__bytes_read.sum" */
    const char *name_list[METRICS];
    size_t row[METRICS]; /* the metric_table row of each */
    size_t n_names;
    char chip[64];
    bool usable;
} context_profiler;

typedef struct {
    char *key;
    double values[METRICS]; /* by metric_table row; NaN where the chip has no such metric */
} measurement;

static struct {
    pthread_mutex_t lock; /* held through every launch that is measured */
    const cupti_library *cupti;
    cuda_driver driver;
    void *subscriber;
    selection selected;
    context_profiler *contexts[MAX_CONTEXTS];
    size_t n_contexts;
    seen_launch *seen;
    context_profiler *active; /* between a launch's entry and its exit */
    char *active_key;
    bool push; /* this CUPTI wants ranges pushed even where each kernel is one */
    atomic_bool stopped;
} counters = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What is measured, with a lock of its own that is never held across a call into CUPTI: a launch
 * that hangs keeps the other one for ever, and what came before it is written all the same. */
static struct {
    pthread_mutex_t lock;
    const context_profiler *first; /* set up, or as far as that went; NULL: no launch yet */
    measurement *items;
    size_t n, cap;
    bool denied;
} results = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool complain(const char *what, cupti_result code) {
    const char *text = "?";
    if (code == CUPTI_OK)
        return false;
    if (code == CUPTI_E_INSUFFICIENT_PRIVILEGES || code == CUPTI_E_VIRTUALIZED_PRIVILEGES) {
        pthread_mutex_lock(&results.lock);
        results.denied = true;
        pthread_mutex_unlock(&results.lock);
        counters.stopped = true;
        recorder_fail("no permission for hardware counters; run as root, or let the administrator "
                      "load the nvidia "
                      "module with NVreg_RestrictProfilingToAdminUsers=0 "
                      "(developer.nvidia.com/ERR_NVGPUCTRPERM)");
        return true;
    }
    if (counters.cupti->result_string)
        counters.cupti->result_string(code, &text);
    recorder_fail("hardware counters: %s: %s (%d)", what, text, code);
    return true;
}

/* Under counters.lock, which all who add measurements hold as well. */
static bool is_measured(const char *key) {
    for (size_t i = 0; i < results.n; i++)
        if (strcmp(results.items[i].key, key) == 0)
            return true;
    return false;
}

/* Chooses from the table what the chip has. */
static bool choose_metrics(context_profiler *p) {
    profiler_base_metrics_params base = {.size = PROFILER_SIZE(profiler_base_metrics_params, count),
                                         .host = p->host,
                                         .type = PROFILER_METRIC_COUNTER};
    if (complain("metrics of this chip", counters.cupti->host_base_metrics(&base)))
        return false;
    for (size_t row = 0; row < METRICS; row++) {
        for (size_t i = 0; i < base.count; i++) {
            if (strcmp(base.names[i], metric_table[row].metric) != 0)
                continue;
            snprintf(p->names[p->n_names], NAME_SIZE, "%s.sum", metric_table[row].metric);
            p->name_list[p->n_names] = p->names[p->n_names];
            p->row[p->n_names++] = row;
            break;
        }
    }
    if (!p->n_names)
        recorder_fail("hardware counters: chip %s has none of the metrics", p->chip);
    return p->n_names > 0;
}

/* The part that needs no GPU: which counters to read, as CUPTI's configuration image. */
static bool make_config(context_profiler *p) {
    const cupti_library *c = counters.cupti;
    profiler_host_params host = {.size = PROFILER_SIZE(profiler_host_params, host),
                                 .type = PROFILER_TYPE_RANGE,
                                 .chip = p->chip,
                                 .availability = p->availability};
    if (complain("chip", c->host_initialize(&host)))
        return false;
    p->host = host.host;
    if (!choose_metrics(p))
        return false;
    profiler_add_params add = {.size = PROFILER_SIZE(profiler_add_params, count),
                               .host = p->host,
                               .names = p->name_list,
                               .count = p->n_names};
    if (complain("metrics", c->host_add_metrics(&add)))
        return false;
    profiler_config_size_params size = {.size = PROFILER_SIZE(profiler_config_size_params, bytes),
                                        .host = p->host};
    if (complain("configuration", c->host_config_size(&size)))
        return false;
    p->config_bytes = size.bytes;
    p->config = malloc(size.bytes);
    profiler_config_params config = {.size = PROFILER_SIZE(profiler_config_params, config),
                                     .host = p->host,
                                     .bytes = size.bytes,
                                     .config = p->config};
    if (!p->config || complain("configuration", c->host_config(&config)))
        return false;
    profiler_passes_params passes = {.size = PROFILER_SIZE(profiler_passes_params, passes),
                                     .bytes = p->config_bytes,
                                     .config = p->config};
    if (c->host_passes(&passes) == CUPTI_OK)
        p->passes = passes.passes;
    return true;
}

/* Asks the device which of its counters may be used. */
static bool read_availability(context_profiler *p) {
    const cupti_library *c = counters.cupti;
    int device = 0;
    if (counters.driver.context_device)
        counters.driver.context_device(&device);
    profiler_initialize_params initialize = {.size =
                                                 PROFILER_SIZE(profiler_initialize_params, priv)};
    if (complain("profiler", c->profiler_initialize(&initialize)))
        return false;
    profiler_chip_params chip = {.size = PROFILER_SIZE(profiler_chip_params, chip),
                                 .device = (size_t)device};
    if (complain("chip name", c->device_chip_name(&chip)))
        return false;
    snprintf(p->chip, sizeof p->chip, "%s", chip.chip ? chip.chip : "");
    profiler_availability_params available = {
        .size = PROFILER_SIZE(profiler_availability_params, image), .context = p->context};
    if (complain("availability", c->counter_availability(&available)))
        return false;
    available.image = p->availability =
        calloc(1, available.image_bytes ? available.image_bytes : 1);
    return p->availability && !complain("availability", c->counter_availability(&available));
}

/* Readies the counter image and the configuration for one more range. */
static bool arm(context_profiler *p) {
    const cupti_library *c = counters.cupti;
    range_data_init_params init = {.size = PROFILER_SIZE(range_data_init_params, data),
                                   .range_profiler = p->range_profiler,
                                   .bytes = p->data_bytes,
                                   .data = p->data};
    if (complain("counter data", c->range_data_init(&init)))
        return false;
    range_config_params config = {.size = PROFILER_SIZE(range_config_params, target_nesting_level),
                                  .range_profiler = p->range_profiler,
                                  .config_bytes = p->config_bytes,
                                  .config = p->config,
                                  .data_bytes = p->data_bytes,
                                  .data = p->data,
                                  .range_mode = PROFILER_AUTO_RANGE,
                                  .replay_mode = PROFILER_KERNEL_REPLAY,
                                  .max_ranges_per_pass = 1,
                                  .nesting_levels = 1,
                                  .min_nesting_level = 1,
                                  .target_nesting_level = 1};
    return !complain("range configuration", c->range_set_config(&config));
}

static bool set_up(context_profiler *p) {
    const cupti_library *c = counters.cupti;
    if (!read_availability(p) || !make_config(p))
        return false;
    range_enable_params enable = {.size = PROFILER_SIZE(range_enable_params, range_profiler),
                                  .context = p->context};
    if (complain("range profiler", c->range_enable(&enable)))
        return false;
    p->range_profiler = enable.range_profiler;
    range_data_size_params size = {.size = PROFILER_SIZE(range_data_size_params, bytes),
                                   .range_profiler = p->range_profiler,
                                   .names = p->name_list,
                                   .count = p->n_names,
                                   .max_ranges = 1,
                                   .max_nodes = 1};
    if (complain("counter data size", c->range_data_size(&size)))
        return false;
    p->data_bytes = size.bytes;
    p->data = calloc(1, size.bytes);
    return p->data != NULL;
}

/* The profiler of a context, set up at its first kernel; NULL when that failed. */
static context_profiler *profiler_of(void *context) {
    for (size_t i = 0; i < counters.n_contexts; i++)
        if (counters.contexts[i]->context == context)
            return counters.contexts[i]->usable ? counters.contexts[i] : NULL;
    context_profiler *p = counters.n_contexts < MAX_CONTEXTS ? calloc(1, sizeof *p) : NULL;
    if (!p)
        return NULL;
    p->context = context;
    counters.contexts[counters.n_contexts++] = p;
    p->usable = set_up(p);
    pthread_mutex_lock(&results.lock);
    if (!results.first)
        results.first = p;
    pthread_mutex_unlock(&results.lock);
    return p->usable ? p : NULL;
}

/* A launch names a CUfunction or, from CUDA 12 on, a CUkernel, whose function in this context is
 * asked for first. */
static uint32_t static_shared_bytes(void *function) {
    int bytes = 0;
    void *of_kernel = NULL;
    const cuda_driver *d = &counters.driver;
    if (!d->function_attribute)
        return 0;
    if (d->function_attribute(&bytes, CUDA_FUNC_ATTR_SHARED_BYTES, function) == 0)
        return (uint32_t)bytes;
    if (d->kernel_function && d->kernel_function(&of_kernel, function) == 0 &&
        d->function_attribute(&bytes, CUDA_FUNC_ATTR_SHARED_BYTES, of_kernel) == 0)
        return (uint32_t)bytes;
    recorder_fail("hardware counters: the static shared memory of a kernel is unknown; it may not "
                  "find its place");
    return 0;
}

static void begin_kernel(void *context, const char *symbol, void *function,
                         const cuda_launch_config *config) {
    if (!seen_first(counters.seen, function, config))
        return;
    uint32_t static_shared = static_shared_bytes(function);
    char *key = selection_key(symbol, config, static_shared);
    context_profiler *p = NULL;
    if (key && selection_has(&counters.selected, key) && !is_measured(key))
        p = profiler_of(context);
    range_object_params start = {.size = PROFILER_SIZE(range_object_params, range_profiler)};
    if (p)
        start.range_profiler = p->range_profiler;
    if (!p || !arm(p) || complain("start", counters.cupti->range_start(&start))) {
        free(key);
        return;
    }
    if (counters.push) {
        range_push_params push = {.size = PROFILER_SIZE(range_push_params, name),
                                  .range_profiler = p->range_profiler,
                                  .name = "kernel"};
        complain("push", counters.cupti->range_push(&push));
    }
    counters.active = p;
    counters.active_key = key;
}

/* Room for one more measurement; NULL when memory is used up. */
static measurement *add_measurement(void) {
    if (results.n == results.cap) {
        size_t cap = results.cap * 2 + 64;
        measurement *moved = realloc(results.items, cap * sizeof *moved);
        if (!moved)
            return NULL;
        results.items = moved;
        results.cap = cap;
    }
    return &results.items[results.n++];
}

static void keep(char *key, const context_profiler *p, const double *values) {
    pthread_mutex_lock(&results.lock);
    measurement *m = add_measurement();
    if (!m) {
        pthread_mutex_unlock(&results.lock);
        recorder_fail("hardware counters: out of memory");
        free(key);
        return;
    }
    m->key = key;
    for (size_t i = 0; i < METRICS; i++)
        m->values[i] = -1;
    for (size_t i = 0; i < p->n_names; i++)
        m->values[p->row[i]] = values[i];
    pthread_mutex_unlock(&results.lock);
}

/* How many ranges the counter data holds after a kernel. */
static size_t finish_range(context_profiler *p) {
    const cupti_library *c = counters.cupti;
    if (counters.push) {
        range_object_params pop = {.size = PROFILER_SIZE(range_object_params, range_profiler),
                                   .range_profiler = p->range_profiler};
        complain("pop", c->range_pop(&pop));
    }
    range_stop_params stop = {.size = PROFILER_SIZE(range_stop_params, all_passes_submitted),
                              .range_profiler = p->range_profiler};
    if (complain("stop", c->range_stop(&stop)))
        return 0;
    range_decode_params decode = {.size = PROFILER_SIZE(range_decode_params, dropped),
                                  .range_profiler = p->range_profiler};
    if (complain("decode", c->range_decode(&decode)))
        return 0;
    range_data_info_params info = {.size = PROFILER_SIZE(range_data_info_params, ranges),
                                   .data = p->data,
                                   .bytes = p->data_bytes};
    return complain("counter data", c->range_data_info(&info)) ? 0 : info.ranges;
}

static void end_kernel(void) {
    context_profiler *p = counters.active;
    char *key = counters.active_key;
    double values[METRICS] = {0};
    counters.active = NULL;
    counters.active_key = NULL;
    size_t ranges = finish_range(p);
    if (ranges == 0 && !counters.push && counters.cupti->range_push && counters.cupti->range_pop) {
        /* Some versions record a kernel's range only inside a pushed one: from the next kernel on.
         * This kernel is measured at its next launch. */
        counters.push = true;
        memset(counters.seen, 0, SEEN_SIZE * sizeof *counters.seen);
        free(key);
        return;
    }
    profiler_evaluate_params evaluate = {.size = PROFILER_SIZE(profiler_evaluate_params, values),
                                         .host = p->host,
                                         .data = p->data,
                                         .data_bytes = p->data_bytes,
                                         .range = 0,
                                         .names = p->name_list,
                                         .count = p->n_names,
                                         .values = values};
    if (ranges == 0 || complain("evaluate", counters.cupti->host_evaluate(&evaluate))) {
        recorder_fail("hardware counters: a kernel left no counter data");
        free(key);
        return;
    }
    keep(key, p, values);
}

static const cuda_launch_config *launch_of(uint32_t cbid, const void *params,
                                           cuda_launch_config *room, void **function) {
    if (cbid == CUPTI_CBID_cuLaunchKernelEx || cbid == CUPTI_CBID_cuLaunchKernelEx_ptsz) {
        const cuda_launch_ex_params *ex = params;
        *function = ex->function;
        return ex->config;
    }
    const cuda_launch_params *plain = params;
    *function = plain->function;
    memcpy(room->grid, plain->grid, sizeof room->grid);
    memcpy(room->block, plain->block, sizeof room->block);
    room->dynamic_shared_bytes = plain->dynamic_shared_bytes;
    room->stream = plain->stream;
    return room;
}

/* A launch into a stream that is being captured runs nothing, and measuring it would break the
 * capture. */
static bool is_captured(uint32_t cbid, const cuda_launch_config *config) {
    bool per_thread = cbid == CUPTI_CBID_cuLaunchKernel_ptsz ||
                      cbid == CUPTI_CBID_cuLaunchKernelEx_ptsz ||
                      cbid == CUPTI_CBID_cuLaunchCooperativeKernel_ptsz;
    void *stream =
        config->stream || !per_thread ? config->stream : (void *)2; /* CU_STREAM_PER_THREAD */
    int status = 0;
    if (!counters.driver.stream_capturing)
        return false;
    return counters.driver.stream_capturing(stream, &status) != 0 || status != 0;
}

/* How deep in launches the thread that measures is: its own, and any that the replay makes inside.
 * While it is not 0 the thread holds the lock, since two kernels of two threads must not share a
 * range. */
static _Thread_local unsigned depth;

static void enter_launch(uint32_t cbid, const cupti_callback_data *d) {
    cuda_launch_config room = {0};
    void *function = NULL;
    if (counters.stopped || !d->params || !d->symbol_name)
        return;
    const cuda_launch_config *config = launch_of(cbid, d->params, &room, &function);
    if (!config || !function || is_captured(cbid, config))
        return;
    pthread_mutex_lock(&counters.lock);
    if (!counters.stopped)
        begin_kernel(d->context, d->symbol_name, function, config);
    if (counters.active)
        depth = 1;
    else
        pthread_mutex_unlock(&counters.lock);
}

/* Called around every driver launch. */
static void on_launch(void *user, uint32_t domain, uint32_t cbid, const void *data) {
    (void)user, (void)domain;
    const cupti_callback_data *d = data;
    if (d->site == CUPTI_SITE_ENTER) {
        if (depth)
            depth++;
        else
            enter_launch(cbid, d);
    } else if (depth && --depth == 0) {
        end_kernel();
        pthread_mutex_unlock(&counters.lock);
    }
}

void counters_start(const recorder_options *options, const cupti_library *cupti) {
    static const uint32_t launches[] = {CUPTI_CBID_cuLaunchKernel,
                                        CUPTI_CBID_cuLaunchKernel_ptsz,
                                        CUPTI_CBID_cuLaunchCooperativeKernel,
                                        CUPTI_CBID_cuLaunchCooperativeKernel_ptsz,
                                        CUPTI_CBID_cuLaunchKernelEx,
                                        CUPTI_CBID_cuLaunchKernelEx_ptsz};
    counters.cupti = cupti;
    if (!cupti->subscribe || !cupti->enable_callback || !cupti->range_enable ||
        !cupti->host_base_metrics) {
        recorder_fail("hardware counters need CUPTI of CUDA 12.6 or newer; %s is older",
                      cupti->path);
        return;
    }
    cuda_driver_lookup(&counters.driver);
    counters.seen = calloc(SEEN_SIZE, sizeof *counters.seen);
    if (!counters.seen)
        return;
    if (options->select)
        selection_read(options->select, &counters.selected);
    if (complain("callbacks", cupti->subscribe(&counters.subscriber, on_launch, NULL)))
        return;
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++)
        cupti->enable_callback(1, counters.subscriber, CUPTI_DOMAIN_DRIVER, launches[i]);
}

/* The weighted sum of the metrics of `output`, from the table's row *row on, which moves past them;
 * -1: none known. */
static double sum_output(const measurement *m, size_t *row) {
    const char *output = metric_table[*row].output;
    double sum = -1;
    for (; *row < METRICS && strcmp(metric_table[*row].output, output) == 0; ++*row)
        if (m->values[*row] >= 0)
            sum = (sum < 0 ? 0 : sum) + metric_table[*row].weight * m->values[*row];
    return sum;
}

/* Writes the counters of one kernel: the two sums a roofline asks for, then what they are made of.
 */
static void write_counters(FILE *file, const measurement *m) {
    double flop = -1;
    const char *comma = "";
    for (size_t row = 0; row < METRICS;) {
        bool counts = strncmp(metric_table[row].output, "flop ", 5) == 0;
        double sum = sum_output(m, &row);
        if (counts && sum >= 0)
            flop = (flop < 0 ? 0 : flop) + sum;
    }
    if (m->values[0] >= 0 && m->values[1] >= 0) {
        fputs("\"dram bytes\": ", file);
        decimal_write(file, m->values[0] + m->values[1]);
        comma = ", ";
    }
    if (flop >= 0) {
        fprintf(file, "%s\"flop\": ", comma);
        decimal_write(file, flop);
        comma = ", ";
    }
    for (size_t row = 0; row < METRICS;) {
        const char *output = metric_table[row].output;
        double sum = sum_output(m, &row);
        if (sum < 0)
            continue;
        fprintf(file, "%s\"%s\": ", comma, output);
        decimal_write(file, sum);
        comma = ", ";
    }
}

static void write_results(FILE *file, bool complete) {
    const context_profiler *p = results.first;
    fputs("{\"schema\": 1, \"recorder\": \"cupti\", \"chip\": ", file);
    json_string(file, p ? p->chip : "");
    fprintf(file, ", \"passes\": %zu, \"permission\": %s, \"complete\": %s, \"metrics\": [",
            p ? p->passes : 0, results.denied ? "false" : "true", complete ? "true" : "false");
    for (size_t i = 0; p && i < p->n_names; i++)
        fprintf(file, "%s\"%s\"", i ? ", " : "", p->names[i]);
    fputs("], \"kernels\": [", file);
    for (size_t i = 0; i < results.n; i++) {
        fprintf(file, "%s\n{%s, \"counters\": {", i ? "," : "", results.items[i].key);
        write_counters(file, &results.items[i]);
        fputs("}}", file);
    }
    fputs("\n]}\n", file);
}

/* Lets the launch that is being measured end; false when it has not after so many seconds. A thread
 * that hangs in a launch must not keep the process from ending. */
static bool wait_for_launch(size_t seconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)seconds;
    if (pthread_mutex_timedlock(&counters.lock, &until) == 0) {
        pthread_mutex_unlock(&counters.lock);
        return true;
    }
    recorder_fail("hardware counters: a launch that was being measured did not end within %zu s of "
                  "the program; its counters are missing",
                  seconds);
    return false;
}

/* What the range profilers hold goes with the process. */
void counters_finish(const recorder_options *options) {
    char temporary[1100];
    counters.stopped = true;
    bool complete = wait_for_launch(options->wait_seconds);
    snprintf(temporary, sizeof temporary, "%s.%ld.part", options->out, (long)getpid());
    pthread_mutex_lock(&results.lock);
    FILE *file = fopen(temporary, "we");
    bool written = false;
    if (file) {
        write_results(file, complete);
        written = ferror(file) == 0;
        written = fclose(file) == 0 && written && rename(temporary, options->out) == 0;
        if (!written)
            unlink(temporary);
    }
    size_t n = results.n;
    pthread_mutex_unlock(&results.lock);
    if (!written)
        recorder_fail("%s: %s", options->out, strerror(errno));
    recorder_write_status(options, "written %d\nkernels %zu\nevents %zu\n", written, n, n);
}
