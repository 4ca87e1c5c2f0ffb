/* Runs a program under the CUDA recorder and brings home its trace.
 *
 * Every process of the program that uses CUDA writes PID.json and PID.status into a directory made
 * beside the wanted trace; when the program has ended well the busiest one's trace is compressed
 * and renamed to it. */
#define _GNU_SOURCE
#include "launch.h"

#include "counters_merge.h"
#include "program.h"
#include "redact.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HABITAT_HAVE_ZLIB
#include <zlib.h>
#endif

enum { MAX_PROCESSES = 256, PATH_SIZE = 4096 };

/* What one process's status file says. */
typedef struct {
    long pid;
    bool written;
    unsigned long long kernels, events, iterations, dropped;
    char message[640];
} process_report;

typedef struct {
    const habitat_launch_options *options;
    habitat_launch_result *result;
    program_signals signals; /* as they were before */
    int received;            /* a signal that the program was handed and outlived; 0: none */
    char library[PATH_SIZE];
    char directory[PATH_SIZE];  /* everything of this recording */
    char place[PATH_SIZE + 16]; /* where the run at hand writes: it, or a folder in it */
    process_report reports[MAX_PROCESSES];
    size_t n_reports;
} session;

static int fail(session *s, int exit_code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(session *s, int exit_code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->result->message, sizeof s->result->message, format, arguments);
    va_end(arguments);
    return s->result->exit_code = exit_code;
}

bool habitat_launch_find_library(char *path, size_t size) {
    const char *named = getenv("HABITAT_RECORDER");
    if (named && *named) {
        snprintf(path, size, "%s", named);
        return access(path, R_OK) == 0;
    }
    static const char *const places[] = {"",
                                         "/recorder",
                                         "/../lib/habitat",
                                         "/../lib/x86_64-linux-gnu/habitat",
                                         "/../lib/aarch64-linux-gnu/habitat",
                                         "/../lib64/habitat"};
    char self[PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return false;
    self[length] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int n = snprintf(path, size, "%s%s/libhabitat_cupti.so", self, places[i]);
        if (n > 0 && (size_t)n < size && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

static void set_number(const char *name, unsigned long long value) {
    char text[32];
    snprintf(text, sizeof text, "%llu", value);
    if (value)
        setenv(name, text, 1);
    else
        unsetenv(name);
}

static void set_text(const char *name, const char *value) {
    if (value && *value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void set_environment(const session *s, const char *mode, const char *select) {
    const habitat_launch_options *o = s->options;
    char text[PATH_SIZE + 64];
    char *command = o->no_command ? NULL : redact_command(o->argv, getenv("HOME"));
    snprintf(text, sizeof text, "%s/%%p.json", s->place);
    set_text("HABITAT_RECORD_OUT", text);
    snprintf(text, sizeof text, "%s/%%p.status", s->place);
    set_text("HABITAT_RECORD_STATUS", text);
    set_text("HABITAT_RECORD_COMMAND", command);
    free(command);
    set_text("HABITAT_RECORD_MODE", mode);
    set_text("HABITAT_COUNTERS_SELECT", select);
    set_text("HABITAT_RECORD_NVTX_RANGE", o->nvtx_range);
    set_text("HABITAT_RECORD_CUPTI", o->cupti ? o->cupti : getenv("HABITAT_RECORD_CUPTI"));
    set_number("HABITAT_RECORD_WARMUP", o->warmup);
    set_number("HABITAT_RECORD_ITERATIONS", o->iterations);
    if (o->buffer_bytes)
        set_number("HABITAT_RECORD_BUFFER_BYTES", o->buffer_bytes);
    if (o->memory_bytes)
        set_number("HABITAT_RECORD_MEMORY_BYTES", o->memory_bytes);
    set_text("CUDA_INJECTION64_PATH", s->library);
    set_text("NVTX_INJECTION64_PATH", s->library);
}

/* One run of the program: what its environment is made from. */
typedef struct {
    const session *s;
    const char *mode, *select;
} run_setup;

static void prepare_run(const void *context) {
    const run_setup *setup = context;
    set_environment(setup->s, setup->mode, setup->select);
}

/* Runs the program to its end; 0 when it ended well, else the exit code, and the message says how
 * it ended. */
static int run_program(session *s, const char *mode, const char *select) {
    run_setup setup = {s, mode, select};
    program_end end = program_run(s->options->argv, prepare_run, &setup, &s->signals);
    if (end.error)
        return fail(s, 1, "cannot be run: %s; check the path of the program", strerror(end.error));
    s->received = end.received;
    s->result->program_status = end.signal ? 128 + end.signal : end.status;
    if (end.signal) /* told to end by a signal and ended by it: so does habitat, once it has cleaned
                       up */
        return fail(s, end.signal == end.received ? 128 + end.signal : 1,
                    "was ended by signal %d (%s)", end.signal, strsignal(end.signal));
    return end.status == 0 ? 0 : fail(s, 1, "exited with status %d", end.status);
}

static void read_report(const char *path, process_report *report) {
    FILE *file = fopen(path, "re");
    char line[640];
    while (file && fgets(line, sizeof line, file)) {
        int written = 0;
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "message ", 8) == 0)
            snprintf(report->message, sizeof report->message, "%s", line + 8);
        if (sscanf(line, "written %d", &written) == 1)
            report->written = written != 0;
        if (sscanf(line, "kernels %llu", &report->kernels) == 1)
            continue;
        if (sscanf(line, "events %llu", &report->events) == 1)
            continue;
        if (sscanf(line, "iterations %llu", &report->iterations) == 1)
            continue;
        if (sscanf(line, "dropped %llu", &report->dropped) == 1)
            continue;
    }
    if (file)
        fclose(file);
}

static int busiest_first(const void *a, const void *b) {
    const process_report *x = a, *y = b;
    if (x->kernels != y->kernels)
        return x->kernels > y->kernels ? -1 : 1;
    return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void read_reports(session *s) {
    DIR *directory = opendir(s->place);
    struct dirent *entry;
    s->n_reports = 0;
    while (directory && (entry = readdir(directory)) && s->n_reports < MAX_PROCESSES) {
        char *end, path[2 * PATH_SIZE];
        long pid = strtol(entry->d_name, &end, 10);
        if (end == entry->d_name || strcmp(end, ".status") != 0)
            continue;
        process_report *report = &s->reports[s->n_reports++];
        *report = (process_report){.pid = pid};
        snprintf(path, sizeof path, "%s/%s", s->place, entry->d_name);
        read_report(path, report);
    }
    if (directory)
        closedir(directory);
    qsort(s->reports, s->n_reports, sizeof *s->reports, busiest_first);
}

static bool ends_in(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

#ifdef HABITAT_HAVE_ZLIB
/* Compresses `from` into `to`. */
static int compress_file(const char *from, const char *to) {
    FILE *in = fopen(from, "re");
    gzFile out = in ? gzopen(to, "wbe6") : NULL;
    char *block = malloc(1 << 18);
    size_t n = 0;
    bool ok = in && out && block;
    while (ok && (n = fread(block, 1, 1 << 18, in)) > 0)
        ok = gzwrite(out, block, (unsigned)n) == (int)n;
    ok = ok && !ferror(in);
    if (out)
        ok = gzclose(out) == Z_OK && ok;
    if (in)
        fclose(in);
    free(block);
    if (!ok)
        unlink(to);
    return ok ? 0 : -1;
}
#else
static int compress_file(const char *from, const char *to) {
    (void)from, (void)to;
    errno = ENOTSUP; /* built without zlib */
    return -1;
}
#endif

/* out.json.gz -> out.PID.json.gz for a process other than the busiest. */
static void name_for(const char *out, long pid, char *path, size_t size) {
    const char *slash = strrchr(out, '/');
    const char *dot = strchr(slash ? slash + 1 : out, '.');
    if (!dot || dot == out)
        dot = out + strlen(out);
    snprintf(path, size, "%.*s.%ld%s", (int)(dot - out), out, pid, dot);
}

/* Moves one process's trace to where the user wants it, compressed if its name says so. */
static int bring_home(session *s, const process_report *report, const char *to) {
    char from[2 * PATH_SIZE], packed[2 * PATH_SIZE];
    snprintf(from, sizeof from, "%s/%ld.json", s->directory, report->pid);
    if (ends_in(to, ".gz")) {
        snprintf(packed, sizeof packed, "%s/%ld.json.gz", s->directory, report->pid);
        if (compress_file(from, packed) != 0)
            return fail(s, 1, "%s: not written: %s", to, strerror(errno));
        unlink(from);
        memcpy(from, packed, sizeof from);
    }
    if (rename(from, to) != 0)
        return fail(s, 1, "%s: %s", to, strerror(errno));
    return 0;
}

/* Whether the run left a trace worth keeping. */
static int check_reports(session *s) {
    const habitat_launch_options *o = s->options;
    read_reports(s);
    if (s->n_reports == 0)
        return fail(s, 1,
                    "made no CUDA call the recorder saw; a program that leaves by _exit or runs "
                    "its GPU work in "
                    "another container or as another user cannot be recorded this way");
    const process_report *first = &s->reports[0];
    if (o->nvtx_range && first->written && first->iterations == 0)
        return fail(s, 1, "no NVTX range named %s was seen", o->nvtx_range);
    if (first->kernels == 0 || !first->written)
        return fail(s, 1, "no kernel was recorded%s%s", first->message[0] ? ": " : "",
                    first->message);
    s->result->kernels = first->kernels;
    s->result->iterations = o->nvtx_range ? first->iterations : 1;
    s->result->dropped_records = first->dropped;
    if (first->message[0])
        snprintf(s->result->message, sizeof s->result->message, "%s", first->message);
    return 0;
}

static int deliver(session *s) {
    for (size_t i = s->n_reports;
         i-- > 0;) { /* the busiest last: while any fails, `out` is not there */
        char to[2 * PATH_SIZE];
        if (s->reports[i].kernels == 0 || !s->reports[i].written)
            continue;
        if (i == 0)
            snprintf(to, sizeof to, "%s", s->options->out);
        else
            name_for(s->options->out, s->reports[i].pid, to, sizeof to);
        if (bring_home(s, &s->reports[i], to) != 0)
            return 1;
        s->result->traces++;
    }
    return 0;
}

/* Adds a sentence to the message: a trace without counters is still a trace. */
static void warn(session *s, const char *what, const char *why) {
    size_t n = strlen(s->result->message);
    snprintf(s->result->message + n, sizeof s->result->message - n, "%s%s%s%s", n ? "; " : "", what,
             *why ? ": " : "", why);
}

/* The second run: the program once more, its kernels measured, what was measured written into the
 * traces. */
static void run_counters(session *s, const process_report *traces, size_t n_traces) {
    char select[PATH_SIZE + 16], trace[2 * PATH_SIZE], measured[2 * PATH_SIZE];
    double percentile =
        s->options->counters_percentile < 0 ? 99.5 : s->options->counters_percentile;
    habitat_launch_result first = *s->result;
    snprintf(select, sizeof select, "%s/select", s->directory);
    snprintf(trace, sizeof trace, "%s/%ld.json", s->directory, traces[0].pid);
    if (mkdir(s->place, 0700) != 0 || counters_select(trace, percentile, select) <= 0) {
        warn(s, "no counters", strerror(errno));
        return;
    }
    int code = run_program(s, "counters", select);
    char why[sizeof s->result->message];
    memcpy(why, s->result->message, sizeof why);
    *s->result = first;
    read_reports(s);
    if (code != 0 || s->n_reports == 0 || s->reports[0].kernels == 0) {
        warn(s, "no counters",
             code != 0      ? why
             : s->n_reports ? s->reports[0].message
                            : "the second run used no GPU");
        return;
    }
    snprintf(measured, sizeof measured, "%s/%ld.json", s->place, s->reports[0].pid);
    for (size_t i = 0; i < n_traces; i++) {
        if (traces[i].kernels == 0 || !traces[i].written)
            continue;
        snprintf(trace, sizeof trace, "%s/%ld.json", s->directory, traces[i].pid);
        long merged = counters_merge(trace, measured, percentile);
        if (merged < 0)
            warn(s, "no counters", strerror(errno));
        else
            s->result->counted += (uint64_t)merged;
    }
    if (s->reports[0].message[0])
        warn(s, s->reports[0].message, "");
}

static void add_counters(session *s) {
    size_t n = s->n_reports;
    process_report *traces = malloc(n * sizeof *traces);
    if (!traces) {
        warn(s, "no counters", "out of memory");
        return;
    }
    memcpy(traces, s->reports, n * sizeof *traces);
    snprintf(s->place, sizeof s->place, "%s/counters", s->directory);
    run_counters(s, traces, n);
    memcpy(s->reports, traces, n * sizeof *traces);
    s->n_reports = n;
    free(traces);
}

/* The program failed: what its processes wrote until then is kept, and the message goes on to say
 * so. */
static void keep_of_failed(session *s) {
    char how[sizeof s->result->message], why[sizeof s->result->message];
    int code = s->result->exit_code;
    memcpy(how, s->result->message, sizeof how);
    bool kept = check_reports(s) == 0 && deliver(s) == 0;
    memcpy(why, s->result->message, sizeof why);
    if (kept)
        fail(s, code, "%.200s; %.300s holds the %llu kernels recorded until then%s%.200s", how,
             s->options->out, (unsigned long long)s->result->kernels,
             s->reports[0].message[0] ? "; " : "", s->reports[0].message);
    else if (s->n_reports)
        fail(s, code, "%.200s; no trace was kept: %.400s", how, why);
    else
        fail(s, code, "%.200s; no trace was kept", how);
}

/* Records into the directory made for it, and brings home what there is. */
static int record(session *s) {
    snprintf(s->place, sizeof s->place, "%s", s->directory);
    int code = run_program(s, "trace", NULL);
    if (code != 0) {
        if (s->result->program_status >= 0)
            keep_of_failed(s);
        return code;
    }
    code = check_reports(s);
    if (code == 0 && s->options->counters && s->received)
        warn(s, "no counters", strsignal(s->received));
    else if (code == 0 && s->options->counters)
        add_counters(s);
    return code == 0 ? deliver(s) : code;
}

static void remove_directory(const char *path) {
    DIR *directory = opendir(path);
    struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        char file[2 * PATH_SIZE];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        unlink(file);
    }
    if (directory)
        closedir(directory);
    rmdir(path);
}

/* A directory beside the wanted trace, on the same file system, so that the last step is a rename.
 */
static int make_directory(session *s) {
    const char *out = s->options->out, *slash = strrchr(out, '/');
    struct stat present;
    if (stat(out, &present) == 0 &&
        !S_ISREG(present.st_mode)) /* a rename would replace a device, too */
        return fail(s, 1, "%s: not a file; give the trace another name", out);
    char place[PATH_SIZE] = ".", *real;
    if (slash)
        snprintf(place, sizeof place, "%.*s", slash == out ? 1 : (int)(slash - out), out);
    real = realpath(place, NULL); /* the program may change its directory */
    if (!real)
        return fail(s, 1, "%s: %s", out, strerror(errno));
    int n = snprintf(s->directory, sizeof s->directory, "%s/.habitat-XXXXXX", real);
    free(real);
    if (n >= (int)sizeof s->directory)
        return fail(s, 1, "%s: the path is too long", out);
    if (!mkdtemp(s->directory))
        return fail(s, 1, "%s: %s", out, strerror(errno));
    return 0;
}

int habitat_launch_run(const habitat_launch_options *options, habitat_launch_result *result) {
    memset(result, 0, sizeof *result);
    result->program_status = -1;
    session *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(result->message, sizeof result->message, "out of memory");
        return result->exit_code = 1;
    }
    s->options = options;
    s->result = result;
    int code = 0;
    if (!options->argv || !options->argv[0] || !options->out || !*options->out) {
        code = fail(s, 2, "nothing to run, or no file to write");
    } else if (options->library) {
        snprintf(s->library, sizeof s->library, "%s", options->library);
    } else if (!habitat_launch_find_library(s->library, sizeof s->library)) {
        code = fail(s, 1, "libhabitat_cupti.so was not found; set HABITAT_RECORDER to its path");
    }
    if (code == 0) {
        char *real = realpath(s->library, NULL);
        if (real)
            snprintf(s->library, sizeof s->library, "%s", real);
        else
            code = fail(s, 1, "%s: %s", s->library, strerror(errno));
        free(real);
    }
    program_hold_signals(&s->signals);
    if (code == 0)
        code = make_directory(s);
    if (code == 0) {
        code = record(s);
        snprintf(s->place, sizeof s->place, "%s/counters", s->directory);
        remove_directory(s->place);
        remove_directory(s->directory);
    }
    program_release_signals(&s->signals);
    free(s);
    return code;
}
