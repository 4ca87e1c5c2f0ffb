/* The entry points CUDA and NVTX call, the activity buffers, and the end of the recording.
 *
 * This runs inside somebody else's program: nothing here prints, exits, throws or blocks for long;
 * the first thing that goes wrong is kept (recorder_fail) and written into the trace. Left out:
 * what CUPTI cannot see, such as work after fork() without exec, and the end of processes that
 * leave by _exit() or a signal (docs/cuda-recorder.md). */
#define _GNU_SOURCE
#include "counters.h"
#include "cupti_load.h"
#include "message.h"
#include "options.h"
#include "records.h"
#include "trace_write.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

int InitializeInjection(void);
int InitializeInjectionNvtx2(void *get_export_table);

/* The recording; one per process, since CUPTI's callbacks carry no user pointer. */
static struct {
    pthread_mutex_t load_lock;  /* which CUPTI */
    pthread_mutex_t pool_lock;  /* buffers; never held across a call into CUPTI */
    pthread_mutex_t store_lock; /* records and what is counted about them */
    bool started, finished;
    pid_t owner; /* the process that started: a fork()ed child is not it */
    recorder_options options;
    cupti_library cupti;
    bool cupti_tried, cupti_usable;
    store store;
    uint8_t **idle; /* buffers CUPTI has given back */
    size_t n_idle, n_buffers;
    uint64_t cupti_dropped;
} recording = {.load_lock = PTHREAD_MUTEX_INITIALIZER,
               .pool_lock = PTHREAD_MUTEX_INITIALIZER,
               .store_lock = PTHREAD_MUTEX_INITIALIZER};

enum { BUFFER_ALIGNMENT = 8 };

static void fail_with(const char *what, cupti_result code) {
    const char *text = NULL;
    if (!recording.cupti.result_string || recording.cupti.result_string(code, &text) != CUPTI_OK ||
        !text)
        text = "?";
    recorder_fail("%s: %s (%d)", what, text, code);
}

/* Loads CUPTI once per process; later calls return the first call's answer. NULL when there is none
 * that fits. */
static const cupti_library *load_cupti(const recorder_options *options) {
    /* Under the lock: NVTX and CUDA may start on two threads. Neither dlopen nor cuDriverGetVersion
     * comes back here. */
    pthread_mutex_lock(&recording.load_lock);
    if (!recording.cupti_tried) {
        char message[600];
        recording.cupti_tried = true;
        recording.cupti_usable =
            cupti_load(options->cupti, &recording.cupti, message, sizeof message) == 0;
        if (!recording.cupti_usable)
            recorder_fail("CUPTI: %s", message);
    }
    pthread_mutex_unlock(&recording.load_lock);
    return recording.cupti_usable ? &recording.cupti : NULL;
}

static void buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records) {
    *buffer = NULL;
    *size = 0;
    *max_records = 0;
    pthread_mutex_lock(&recording.pool_lock);
    if (recording.n_idle) {
        *buffer = recording.idle[--recording.n_idle];
    } else if (recording.n_buffers < recording.options.buffers) {
        void *memory = NULL;
        if (posix_memalign(&memory, BUFFER_ALIGNMENT, recording.options.buffer_bytes) == 0) {
            *buffer = memory;
            recording.n_buffers++;
        }
    } /* else CUPTI drops records, and counts them */
    if (*buffer)
        *size = recording.options.buffer_bytes;
    pthread_mutex_unlock(&recording.pool_lock);
}

static void buffer_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                             size_t valid) {
    (void)size;
    size_t dropped = 0;
    if (recording.cupti.num_dropped(context, stream, &dropped) != CUPTI_OK)
        dropped = 0;
    pthread_mutex_lock(&recording.store_lock);
    if (getpid() == recording.owner && !recording.finished) {
        cupti_record *record = NULL;
        cupti_result code = CUPTI_E_MAX_LIMIT_REACHED;
        while (valid && (code = recording.cupti.next_record(buffer, valid, &record)) == CUPTI_OK)
            records_add(&recording.store, &recording.cupti, record);
        if (code != CUPTI_E_MAX_LIMIT_REACHED)
            fail_with("an activity buffer could not be read to its end", code);
        recording.cupti_dropped += dropped;
    }
    pthread_mutex_unlock(&recording.store_lock);
    pthread_mutex_lock(&recording.pool_lock);
    if (buffer && recording.n_idle < recording.options.buffers)
        recording.idle[recording.n_idle++] = buffer;
    pthread_mutex_unlock(&recording.pool_lock);
}

/* Fills in what activity records do not say about the devices. */
static void complete_devices(void) {
    cuda_driver driver;
    cuda_driver_lookup(&driver);
    if (!driver.device_attribute)
        return;
    for (size_t i = 0; i < recording.store.n_devices; i++) {
        device_info *d = &recording.store.devices[i];
        int value = 0;
        if (driver.device_attribute(&value, CUDA_ATTR_SHARED_PER_BLOCK_OPTIN, (int)d->id) == 0 &&
            value > 0)
            d->shared_optin_bytes = (uint32_t)value;
    }
}

static void write_trace(void) {
    const cupti_library *cupti = recording.cupti_usable ? &recording.cupti : NULL;
    if (cupti) {
        /* First what is complete, then everything: a forced flush alone may return kernels that
         * still run. */
        cupti->flush_all(0);
        cupti->flush_all(CUPTI_FLUSH_FORCED);
    }
    pthread_mutex_lock(&recording.store_lock);
    recording.finished = true;
    pthread_mutex_unlock(&recording.store_lock);
    complete_devices();
    if (recording.store.dropped)
        recorder_fail("%llu records dropped: more than HABITAT_RECORD_MEMORY_BYTES",
                      (unsigned long long)recording.store.dropped);
    else if (recording.cupti_dropped)
        recorder_fail("%llu records dropped by CUPTI: raise HABITAT_RECORD_BUFFERS or "
                      "HABITAT_RECORD_BUFFER_BYTES",
                      (unsigned long long)recording.cupti_dropped);
    char message[RECORDER_MESSAGE];
    recorder_message(message, sizeof message);
    trace_options o = {.nvtx_range = recording.options.nvtx_range,
                       .warmup = recording.options.warmup,
                       .iterations = recording.options.iterations,
                       .command = recording.options.command,
                       .message = message,
                       .cupti = cupti,
                       .cupti_dropped = recording.cupti_dropped};
    trace_counts counts;
    int written = trace_write(&recording.store, &o, recording.options.out, &counts);
    if (written != 0)
        recorder_fail("%s: %s", recording.options.out, strerror(errno));
    recorder_write_status(&recording.options,
                          "written %d\nkernels %llu\nevents %llu\niterations %llu\ndropped %llu\n",
                          written == 0, (unsigned long long)counts.kernels,
                          (unsigned long long)counts.events, (unsigned long long)counts.iterations,
                          (unsigned long long)(recording.store.dropped + recording.cupti_dropped));
}

static void at_exit(void) {
    if (!recording.started || recording.finished || getpid() != recording.owner)
        return;
    if (recording.options.counters) {
        recording.finished = true;
        counters_finish(&recording.options);
    } else {
        write_trace();
    }
}

static void enable_activities(const cupti_library *cupti) {
    static const struct {
        uint32_t kind;
        const char *name;
        bool needed;
    } kinds[] = {
        {CUPTI_KIND_CONCURRENT_KERNEL, "kernels", true},
        {CUPTI_KIND_MEMCPY, "copies", true},
        {CUPTI_KIND_MEMCPY2, "peer copies", false},
        {CUPTI_KIND_MEMSET, "memory sets", true},
        {CUPTI_KIND_RUNTIME, "runtime calls", true},
        {CUPTI_KIND_DRIVER, "driver calls", true},
        {CUPTI_KIND_DEVICE, "devices", true},
        {CUPTI_KIND_CONTEXT, "contexts", false},
        {CUPTI_KIND_MARKER, "NVTX ranges", false},
        {CUPTI_KIND_SYNCHRONIZATION, "synchronisation", false},
        {CUPTI_KIND_OVERHEAD, "overhead", false},
        {CUPTI_KIND_EXTERNAL_CORRELATION, "external ids", false},
    };
    if (cupti->set_thread_id_type)
        cupti->set_thread_id_type(CUPTI_THREAD_ID_SYSTEM);
    cupti_result code = cupti->register_callbacks(buffer_requested, buffer_completed);
    if (code != CUPTI_OK) {
        fail_with("CUPTI takes no buffers (is another profiler at work in this process?)", code);
        return;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        code = cupti->enable(kinds[i].kind);
        if (code != CUPTI_OK && kinds[i].needed) {
            char what[80];
            snprintf(what, sizeof what, "CUPTI records no %s", kinds[i].name);
            fail_with(what, code);
        }
    }
}

/* Called by the CUDA driver inside cuInit() when CUDA_INJECTION64_PATH names this library. 1 means
 * success; it is returned always, since a recorder that cannot record must not keep the program
 * from running. */
EXPORTED int InitializeInjection(void) {
    pthread_mutex_lock(&recording.load_lock);
    bool first = !recording.started;
    recording.started = true;
    pthread_mutex_unlock(&recording.load_lock);
    if (!first || !recorder_options_read(&recording.options))
        return 1;
    recording.owner = getpid();
    store_init(&recording.store, recording.options.memory_bytes);
    recording.idle = calloc(recording.options.buffers, sizeof *recording.idle);
    const cupti_library *cupti = recording.idle ? load_cupti(&recording.options) : NULL;
    if (atexit(at_exit) != 0)
        return 1;
    if (!cupti)
        return 1;
    if (recording.options.counters)
        counters_start(&recording.options, cupti);
    else
        enable_activities(cupti);
    return 1;
}

/* Called by NVTX when NVTX_INJECTION64_PATH names this library: hands over to the CUPTI that was
 * chosen, so that NVTX and CUDA use the same one. 0 leaves NVTX switched off. */
EXPORTED int InitializeInjectionNvtx2(void *get_export_table) {
    recorder_options options;
    if (!recorder_options_read(&options))
        return 0;
    const cupti_library *cupti = load_cupti(&options);
    return cupti && cupti->nvtx_initialize ? cupti->nvtx_initialize(get_export_table) : 0;
}
