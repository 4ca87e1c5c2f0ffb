/* Reading traces: MB/s, peak memory and memory per event, of a recording as it is (plain and gzip)
 * and of the same one repeated in time until the file has more than 100 MB. Results are checked
 * before a time counts. usage: bench_read TRACE.json.gz */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include <habitat/trace.h>

#define PEAK "--peak" /* reads FILE once and prints the peak: what peak_mib() begins */

enum { RUNS = 7, BIG_BYTES = 110 * 1000 * 1000, PERIOD_US = 10 * 1000 * 1000, ID_STEP = 10000000 };

typedef struct text {
    char *bytes;
    size_t size;
} text;

/* The whole trace, uncompressed. */
static text load(const char *path) {
    text t = {0};
    size_t capacity = 1 << 20;
    gzFile file = gzopen(path, "rb");
    int got = 0;
    t.bytes = malloc(capacity + 1);
    while (file && t.bytes && (got = gzread(file, t.bytes + t.size, 1 << 19)) > 0) {
        t.size += (size_t)got;
        if (capacity - t.size < 1 << 19)
            t.bytes = realloc(t.bytes, (capacity *= 2) + 1);
    }
    if (file)
        gzclose(file);
    if (!t.bytes || got < 0 || !t.size) {
        fprintf(stderr, "bench_read: cannot read %s\n", path);
        exit(1);
    }
    t.bytes[t.size] = '\0';
    return t;
}

/* Keys whose numbers move from one repetition to the next, and by how much. */
static const struct {
    const char *key;
    uint64_t step;
} moving[] = {
    {"\"ts\":", PERIOD_US},        {"\"External id\":", ID_STEP},
    {"\"correlation\":", ID_STEP}, {"\"Sequence number\":", ID_STEP},
    {"\"id\":", ID_STEP},
};

/* Write the events with their numbers moved `copy` steps on. The fraction of a number stays. */
static void write_copy(FILE *out, const char *at, const char *end, uint64_t copy) {
    const char *from = at;
    while (at < end && (at = memchr(at, '"', (size_t)(end - at)))) {
        size_t i = 0, count = sizeof moving / sizeof *moving;
        while (i < count && strncmp(at, moving[i].key, strlen(moving[i].key)) != 0)
            i++;
        if (i == count) {
            at++;
            continue;
        }
        at += strlen(moving[i].key);
        at += strspn(at, " ");
        if (*at < '0' || *at > '9')
            continue;
        char *rest;
        uint64_t number = strtoull(at, &rest, 10);
        fwrite(from, 1, (size_t)(at - from), out);
        fprintf(out, "%" PRIu64, number + copy * moving[i].step);
        at = from = rest;
    }
    fwrite(from, 1, (size_t)(end - from), out);
}

/* The events again and again; returns how often. */
static uint64_t write_repeated(const text *t, const char *path) {
    const char *key = strstr(t->bytes, "\"traceEvents\"");
    const char *begin = key ? strchr(key, '[') : NULL;
    const char *end = begin ? strrchr(begin, ']') : NULL;
    uint64_t copies = 0;
    FILE *out = fopen(path, "wb");
    if (!end || !out) {
        fprintf(stderr, "bench_read: not a trace, or %s cannot be written\n", path);
        exit(1);
    }
    begin++;
    fwrite(t->bytes, 1, (size_t)(begin - t->bytes), out);
    do {
        if (copies)
            fputs(",\n", out);
        write_copy(out, begin, end, copies++);
    } while (ftell(out) < BIG_BYTES);
    fputs(end, out);
    fclose(out);
    return copies;
}

typedef struct facts {
    size_t kernels, operations, calls, linked;
    uint64_t kernel_ns, json_bytes;
    double seconds;
} facts;

static facts read_once(const char *path) {
    struct timespec begun, done;
    habitat_trace *t;
    habitat_error err = {0};
    clock_gettime(CLOCK_MONOTONIC, &begun);
    if (habitat_trace_read(path, &t, &err) != HABITAT_OK) {
        fprintf(stderr, "bench_read: %s: %s\n", err.file, err.message);
        exit(1);
    }
    clock_gettime(CLOCK_MONOTONIC, &done);
    facts f = {.json_bytes = habitat_trace_get_info(t)->json_bytes};
    f.seconds =
        (double)(done.tv_sec - begun.tv_sec) + 1e-9 * (double)(done.tv_nsec - begun.tv_nsec);
    const habitat_kernel *k = habitat_trace_kernels(t, &f.kernels);
    habitat_trace_operations(t, &f.operations);
    habitat_trace_calls(t, &f.calls);
    for (size_t i = 0; i < f.kernels; i++) {
        f.kernel_ns += k[i].duration_ns;
        f.linked += k[i].operation != HABITAT_NONE;
    }
    habitat_trace_free(t);
    return f;
}

static void must_be(const facts *got, const facts *one, uint64_t copies, const char *what) {
    if (got->kernels == one->kernels * copies && got->operations == one->operations * copies &&
        got->linked == one->linked * copies && got->kernel_ns == one->kernel_ns * copies)
        return;
    fprintf(stderr, "bench_read: %s is read wrongly: %zu kernels, %zu operations\n", what,
            got->kernels, got->operations);
    exit(1);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The most memory of this process since it began, in KiB: unlike ru_maxrss without what was there
 * before exec. */
static long own_peak_kib(void) {
    char line[256];
    long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kib = strtol(line + 6, NULL, 10);
    if (file)
        fclose(file);
    return kib;
}

/* Peak memory of a process of its own that reads the file once, in MiB. A child that is not begun
 * anew has this one's heap, and an allocator that remembers its sizes: glibc's keeps large arrays
 * in the heap, with holes, once a larger block was freed. */
static double peak_mib(const char *path) {
    char said[32] = "";
    int ends[2], status = 1;
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl("/proc/self/exe", "bench_read", PEAK, path, (char *)NULL);
        _exit(127);
    }
    if (child > 0) {
        close(ends[1]);
        FILE *from = fdopen(ends[0], "r");
        if (!from || !fgets(said, sizeof said, from))
            said[0] = '\0';
        if (from)
            fclose(from);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0 || atol(said) <= 0) {
        fprintf(stderr, "bench_read: no process could measure %s\n", path);
        exit(1);
    }
    return (double)atol(said) / 1024;
}

/* Returns the peak memory [MiB]. */
static double bench(const char *what, const char *path, const facts *one, uint64_t copies) {
    double seconds[RUNS];
    facts f = {0};
    double peak = peak_mib(path);
    for (int i = 0; i < RUNS; i++) {
        f = read_once(path);
        must_be(&f, one, copies, what);
        seconds[i] = f.seconds;
    }
    qsort(seconds, RUNS, sizeof *seconds, by_value);
    double mb = (double)f.json_bytes / 1e6;
    printf("%-10s %8.1f %10zu %9.0f %11.0f %10.1f\n", what, mb, f.kernels, mb / seconds[0],
           mb / seconds[RUNS / 2], peak);
    return peak;
}

/* What the repetitions add to the peak: the same events again, later. */
static void show_memory(const facts *one, uint64_t copies, double once_mib, double all_mib) {
    double events = (double)(one->kernels + one->operations + one->calls) * (double)(copies - 1);
    printf("memory per event: %.1f bytes at most while reading (%.0f kernels, operations and "
           "calls)\n",
           (all_mib - once_mib) * 1024 * 1024 / events, events);
}

int main(int argc, char **argv) {
    char plain[] = "/tmp/habitat-bench-XXXXXX", big[] = "/tmp/habitat-bench-XXXXXX";
    if (argc == 3 && strcmp(argv[1], PEAK) == 0) {
        read_once(argv[2]);
        printf("%ld\n", own_peak_kib());
        return 0;
    }
    if (argc != 2) {
        fprintf(stderr, "usage: bench_read TRACE.json.gz\n");
        return 2;
    }
    text t = load(argv[1]);
    int plain_file = mkstemp(plain), big_file = mkstemp(big);
    if (plain_file < 0 || big_file < 0 || write(plain_file, t.bytes, t.size) != (ssize_t)t.size) {
        perror("bench_read");
        return 1;
    }
    close(plain_file);
    close(big_file);
    uint64_t copies = write_repeated(&t, big);
    free(t.bytes); /* before the children that measure memory are forked */
    printf("Reading %s (best and median of %d runs)\n", argv[1], RUNS);
    printf("%-10s %8s %10s %9s %11s %10s\n", "file", "MB", "kernels", "best MB/s", "median MB/s",
           "peak MiB");
    facts one = read_once(argv[1]);
    bench("gzip", argv[1], &one, 1);
    double once_mib = bench("plain", plain, &one, 1);
    double all_mib = bench("repeated", big, &one, copies);
    if (copies > 1)
        show_memory(&one, copies, once_mib, all_mib);
    unlink(plain);
    unlink(big);
    return 0;
}
