/* The CUDA recorder from end to end, without a GPU: habitat_launch_run() runs a stand-in program
 * that plays canned records through a fake CUPTI (tests/stubs), and the trace it leaves is read
 * back.
 *
 * The records: tests/stubs/fake_cupti.c. T0 there is 1700000000123456789 ns, so a time t after it
 * appears as (123456789 + t) / 1000 microseconds after the base of 1700000000 s. */
#include "check.h"
#include "launch.h"

#include <dirent.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yajl/yajl_tree.h>
#include <zlib.h>

static char directory[] = "/tmp/habitat-recorder-XXXXXX";
static char out[128];
static habitat_launch_result result;

/* Runs the stand-in with `scenario` and `end`; other fields of `o` are the caller's. */
static int play(habitat_launch_options o, const char *scenario, const char *end) {
    char program[] = FAKE_APP, first[32], second[32];
    snprintf(first, sizeof first, "%s", scenario);
    snprintf(second, sizeof second, "%s", end);
    char *argv[] = {program, first, second, NULL};
    if (!o.out)
        o.out = out;
    if (!o.cupti)
        o.cupti = FAKE_CUPTI;
    if (!o.library)
        o.library = RECORDER;
    o.argv = argv;
    unlink(out);
    return habitat_launch_run(&o, &result);
}

/* The trace at `path`, plain or compressed; NULL when it is not there or no JSON. */
static yajl_val read_trace(const char *path) {
    gzFile file = gzopen(path, "rb");
    size_t size = 16u << 20;
    char *text = malloc(size), why[256];
    int n = file && text ? gzread(file, text, (unsigned)size - 1) : -1;
    if (file)
        gzclose(file);
    yajl_val root = NULL;
    if (n > 0) {
        text[n] = '\0';
        root = yajl_tree_parse(text, why, sizeof why);
        if (!root)
            printf("# %s\n", why);
    }
    free(text);
    return root;
}

static yajl_val get(yajl_val at, const char *a, const char *b) {
    const char *path[] = {a, b, NULL};
    return at ? yajl_tree_get(at, path, yajl_t_any) : NULL;
}

static double number(yajl_val at, const char *a, const char *b) {
    yajl_val v = get(at, a, b);
    return v && YAJL_IS_NUMBER(v) ? YAJL_GET_DOUBLE(v) : -1e300;
}

static const char *text(yajl_val at, const char *a, const char *b) {
    yajl_val v = get(at, a, b);
    return v && YAJL_IS_STRING(v) ? YAJL_GET_STRING(v) : NULL;
}

/* The k-th event of a category; *count gets how many there are, if wanted. */
static yajl_val event_at(yajl_val root, const char *category, size_t k, size_t *count) {
    yajl_val events = get(root, "traceEvents", NULL), found = NULL;
    size_t seen = 0;
    for (size_t i = 0; events && YAJL_IS_ARRAY(events) && i < events->u.array.len; i++) {
        yajl_val e = events->u.array.values[i];
        const char *cat = text(e, "cat", NULL);
        if (!cat || strcmp(cat, category) != 0)
            continue;
        if (seen++ == k)
            found = e;
    }
    if (count)
        *count = seen;
    return found;
}

static size_t count_of(yajl_val root, const char *category) {
    size_t n;
    event_at(root, category, 0, &n);
    return n;
}

static double element(yajl_val e, const char *key, size_t i) {
    yajl_val v = get(e, "args", key);
    return v && YAJL_IS_ARRAY(v) && i < v->u.array.len ? YAJL_GET_DOUBLE(v->u.array.values[i])
                                                       : -1e300;
}

static void test_basic(void) {
    CHECK_INT(play((habitat_launch_options){0}, "basic", "exit"), 0);
    CHECK_TEXT(result.message, "");
    CHECK_INT(result.kernels, 6);
    CHECK_INT(result.traces, 1);
    yajl_val root = read_trace(out);
    CHECK(root != NULL);
    yajl_val k = event_at(root, "kernel", 0, NULL);
    CHECK_TEXT(text(k, "name", NULL), "void gemm::tile<64>(float const*, float*)");
    CHECK_NEAR(number(k, "ts", NULL), 123756.789, 1e-12); /* 123456789 + 300000 ns */
    CHECK_NEAR(number(k, "dur", NULL), 100.0, 1e-12);
    CHECK_INT(number(k, "pid", NULL), 0);
    CHECK_INT(number(k, "tid", NULL), 13);
    CHECK_INT(number(k, "args", "stream"), 13);
    CHECK_INT(number(k, "args", "correlation"), 100);
    CHECK_INT(number(k, "args", "registers per thread"), 40);
    CHECK_INT(number(k, "args", "shared memory"), 4096); /* 1024 static + 3072 dynamic */
    CHECK_INT(number(k, "args", "External id"), 77);
    CHECK_INT(element(k, "grid", 0), 264);
    CHECK_INT(element(k, "grid", 1), 2);
    CHECK_INT(element(k, "block", 0), 128);
    CHECK_NEAR(number(k, "args", "blocks per SM"), 4, 1e-12); /* 264 * 2 / 132 */
    CHECK_NEAR(number(k, "args", "warps per SM"), 16, 1e-12); /* 4 * 128 / 32 */
    k = event_at(root, "kernel", 1, NULL);
    CHECK_TEXT(text(k, "name", NULL), "axpy(float, float const*, float*)");
    CHECK_NEAR(number(k, "dur", NULL), 400.001, 1e-12);
    check_case("kernels carry name, time and launch configuration");

    CHECK_INT(count_of(root, "cuda_runtime"), 3);
    CHECK_INT(count_of(root, "cuda_driver"),
              3); /* not cuInit, not the calls inside runtime launches */
    yajl_val launch = event_at(root, "cuda_runtime", 0, NULL);
    CHECK_TEXT(text(launch, "name", NULL), "cudaLaunchKernel");
    CHECK_INT(number(launch, "args", "cbid"), 211);
    CHECK_INT(number(launch, "args", "correlation"), 100);
    CHECK_INT(number(launch, "tid", NULL), 43);
    CHECK_TEXT(text(event_at(root, "cuda_driver", 0, NULL), "name", NULL), "cuLaunchKernel");
    check_case("each launch appears once, with its correlation");

    CHECK_INT(count_of(root, "cpu_op"), 6);
    CHECK_TEXT(text(event_at(root, "cpu_op", 0, NULL), "name", NULL),
               "step"); /* the outer range first */
    yajl_val op = event_at(root, "cpu_op", 1, NULL);
    CHECK_TEXT(text(op, "name", NULL), "forward");
    CHECK_NEAR(number(op, "ts", NULL), 123458.789, 1e-12);
    CHECK_NEAR(number(op, "dur", NULL), 3.0, 1e-12);
    CHECK(number(op, "ts", NULL) < number(launch, "ts", NULL));
    CHECK_INT(number(op, "tid", NULL), 43);
    check_case("NVTX ranges are operations of the thread that launches");

    yajl_val copy = event_at(root, "gpu_memcpy", 0, NULL),
             set = event_at(root, "gpu_memset", 0, NULL);
    CHECK_TEXT(text(copy, "name", NULL), "Memcpy HtoD (Pageable -> Device)");
    CHECK_INT(number(copy, "args", "bytes"), 4096);
    CHECK_NEAR(number(copy, "args", "memory bandwidth (GB/s)"), 4.0, 1e-6); /* 4096 B in 1024 ns */
    CHECK_TEXT(text(set, "name", NULL), "Memset (Device)");
    CHECK_INT(number(set, "args", "bytes"), 64);
    CHECK_TEXT(text(event_at(root, "cuda_sync", 0, NULL), "name", NULL), "Context Sync");
    CHECK_TEXT(text(event_at(root, "overhead", 0, NULL), "name", NULL), "Activity Buffer Request");
    check_case("copies, sets, synchronisation and overhead");

    yajl_val devices = get(root, "deviceProperties", NULL);
    CHECK(devices && YAJL_IS_ARRAY(devices) && devices->u.array.len == 1);
    yajl_val device = devices ? devices->u.array.values[0] : NULL;
    CHECK_TEXT(text(device, "name", NULL), "Fake GPU");
    CHECK_INT(number(device, "numSms", NULL), 132);
    CHECK_INT(number(device, "maxThreadsPerMultiprocessor", NULL), 2048); /* 64 warps of 32 */
    CHECK_INT(number(root, "habitat", "schema"), 1);
    CHECK_TEXT(text(root, "habitat", "recorder"), "cupti");
    CHECK_INT(number(root, "habitat", "dropped_records"), 0);
    CHECK(strstr(text(root, "habitat", "command"), "basic exit") != NULL);
    CHECK_TEXT(text(get(root, "habitat", "cupti"), "path", NULL), FAKE_CUPTI);
    CHECK_TEXT(text(get(root, "habitat", "cupti"), "found", NULL), "HABITAT_RECORD_CUPTI");
    CHECK(get(root, "habitat", "message") && YAJL_IS_NULL(get(root, "habitat", "message")));
    check_case("the device and how it was recorded");
    yajl_tree_free(root);
}

static void test_iterations(void) {
    habitat_launch_options o = {.nvtx_range = "step", .warmup = 1, .iterations = 1};
    CHECK_INT(play(o, "basic", "exit"), 0);
    CHECK_INT(result.iterations, 1);
    CHECK_INT(result.kernels, 2);
    yajl_val root = read_trace(out);
    CHECK_INT(count_of(root, "kernel"), 2);
    CHECK_INT(number(event_at(root, "kernel", 0, NULL), "args", "correlation"), 110);
    yajl_val mark = event_at(root, "user_annotation", 0, NULL);
    CHECK_TEXT(text(mark, "name", NULL), "habitat_iteration");
    CHECK_NEAR(number(mark, "ts", NULL), 124457.789, 1e-12); /* 123456789 + 1000000 + 1000 ns */
    CHECK_NEAR(number(mark, "dur", NULL), 7.0, 1e-12);
    CHECK_INT(count_of(root, "gpu_memcpy"), 0);
    check_case("one NVTX range kept: its kernels though they ran after it, nothing from before");
    yajl_tree_free(root);

    o = (habitat_launch_options){.nvtx_range = "no such range"};
    CHECK_INT(play(o, "basic", "exit"), 1);
    CHECK(strstr(result.message, "no such range") != NULL);
    CHECK(access(out, F_OK) != 0);
    check_case("a range that never comes is an error and leaves no trace");
}

/* Two traces hold the same events in the same order. */
static void same_events(yajl_val a, yajl_val b) {
    static const char *const categories[] = {"kernel", "cuda_runtime", "cuda_driver", "cpu_op"};
    for (size_t c = 0; c < 4; c++) {
        CHECK_INT(count_of(a, categories[c]), count_of(b, categories[c]));
        for (size_t i = 0; i < count_of(a, categories[c]); i++) {
            yajl_val x = event_at(a, categories[c], i, NULL),
                     y = event_at(b, categories[c], i, NULL);
            CHECK_TEXT(text(x, "name", NULL), text(y, "name", NULL) ? text(y, "name", NULL) : "");
            CHECK(number(x, "ts", NULL) == number(y, "ts", NULL));
        }
    }
}

static void test_disorder(void) {
    CHECK_INT(play((habitat_launch_options){0}, "basic", "exit"), 0);
    yajl_val straight = read_trace(out);
    CHECK_INT(play((habitat_launch_options){0}, "disorder", "exit"), 0);
    yajl_val reversed = read_trace(out);
    same_events(straight, reversed);
    check_case("records out of order give the same trace");
    yajl_tree_free(reversed);

    CHECK_INT(play((habitat_launch_options){.buffer_bytes = 1024}, "basic", "exit"),
              0); /* 4 records a buffer */
    CHECK_INT(result.dropped_records, 0);
    yajl_val chopped = read_trace(out);
    same_events(straight, chopped);
    check_case("buffers of four records give the same trace");
    yajl_tree_free(chopped);
    yajl_tree_free(straight);
}

static void test_drops(void) {
    CHECK_INT(play((habitat_launch_options){0}, "dropped", "exit"), 0);
    CHECK_INT(result.dropped_records, 7);
    CHECK(strstr(result.message, "7 records dropped") != NULL);
    yajl_val root = read_trace(out);
    CHECK_INT(number(root, "habitat", "dropped_records"), 7);
    CHECK(text(root, "habitat", "message") != NULL);
    check_case("records CUPTI drops are counted, told and written");
    yajl_tree_free(root);

    setenv("HABITAT_RECORD_BUFFERS", "1", 1);
    CHECK_INT(play((habitat_launch_options){0}, "held", "exit"), 1);
    CHECK(strstr(result.message, "dropped by CUPTI") != NULL);
    CHECK(access(out, F_OK) != 0);
    unsetenv("HABITAT_RECORD_BUFFERS");
    check_case("no more buffers than allowed, and the loss is told");

    CHECK_INT(play((habitat_launch_options){.memory_bytes = 1u << 20}, "many", "exit"), 0);
    CHECK(result.kernels > 0 && result.kernels < 15000);
    CHECK_INT(result.kernels + result.dropped_records, 15000);
    CHECK(strstr(result.message, "HABITAT_RECORD_MEMORY_BYTES") != NULL);
    check_case("the memory limit holds and what is beyond it is counted");

    CHECK_INT(play((habitat_launch_options){0}, "many", "exit"), 0);
    CHECK_INT(result.kernels, 15000);
    CHECK_INT(result.dropped_records, 0);
    check_case("15,000 kernels within the default limit");
}

static void test_hostile(void) {
    CHECK_INT(play((habitat_launch_options){0}, "hostile", "exit"), 0);
    yajl_val root = read_trace(out);
    CHECK(root != NULL);
    CHECK_INT(count_of(root, "kernel"), 3);
    CHECK_TEXT(text(event_at(root, "kernel", 0, NULL), "name", NULL),
               "quote\" back\\slash \n tab\t \x01 bad\xef\xbf\xbd\xef\xbf\xbd good\xc3\xa9");
    CHECK_TEXT(text(event_at(root, "kernel", 1, NULL), "name", NULL), "");
    CHECK_TEXT(text(event_at(root, "kernel", 2, NULL), "name", NULL), "_Z-not-a-mangled-name");
    CHECK_INT(number(root, "habitat", "incomplete_records"),
              5); /* three kernels, one open range, one lone end */
    CHECK_INT(count_of(root, "cpu_op"), 0);
    check_case(
        "odd names stay JSON; records without a beginning or an end are counted, not written");
    yajl_tree_free(root);
}

static void test_devices(void) {
    setenv("FAKE_CUDA", FAKE_CUDA, 1);
    CHECK_INT(play((habitat_launch_options){0}, "devices", "exit"), 0);
    unsetenv("FAKE_CUDA");
    yajl_val root = read_trace(out), copy = event_at(root, "gpu_memcpy", 0, NULL);
    CHECK_INT(number(event_at(root, "kernel", 1, NULL), "pid", NULL), 1);
    CHECK_INT(number(event_at(root, "kernel", 1, NULL), "args", "device"), 1);
    CHECK_TEXT(text(copy, "name", NULL), "Memcpy PtoP (Device -> Device)");
    CHECK_INT(number(copy, "args", "dst device"), 1);
    CHECK_INT(get(root, "deviceProperties", NULL)->u.array.len, 2);
    CHECK_INT(count_of(root, "cpu_op"), 0);
    CHECK_TEXT(text(event_at(root, "user_annotation", 0, NULL), "name", NULL), "across");
    check_case("two devices, a peer copy, a range across threads");
    /* shared memory that a block may ask for: activity records do not say, the driver does */
    yajl_val devices = get(root, "deviceProperties", NULL);
    for (size_t i = 0; i < devices->u.array.len; i++) {
        yajl_val device = devices->u.array.values[i];
        double bytes = number(device, "id", NULL) == 0 ? 232448 : -1e300; /* not there */
        CHECK_NEAR(number(device, "sharedMemPerBlockOptin", NULL), bytes, 0);
    }
    check_case("what the driver knows of a device is in the trace, what it does not is left out");
    yajl_tree_free(root);
}

static void test_processes(void) {
    CHECK_INT(play((habitat_launch_options){0}, "basic", "fork"), 0);
    CHECK_INT(result.traces, 1);
    CHECK_INT(result.kernels, 6);
    check_case("a fork()ed child writes nothing");
    CHECK_INT(play((habitat_launch_options){0}, "basic", "twice"), 0);
    CHECK_INT(result.kernels, 6);
    check_case("a second injection changes nothing");
    CHECK_INT(play((habitat_launch_options){0}, "threads", "exit"), 0);
    CHECK_INT(result.kernels, 4000);
    check_case("buffers handed over from four threads at once");
}

/* A program of two processes that use the GPU: the busier one's trace gets the name. */
static void test_two_processes(void) {
    char shell[] = "/bin/sh", flag[] = "-c", both[2 * sizeof FAKE_APP + 32];
    char *argv[] = {shell, flag, both, NULL};
    snprintf(both, sizeof both, "'%s' devices & '%s' basic; wait", FAKE_APP, FAKE_APP);
    habitat_launch_options o = {.argv = argv, .out = out, .library = RECORDER, .cupti = FAKE_CUPTI};
    CHECK_INT(habitat_launch_run(&o, &result), 0);
    CHECK_INT(result.traces, 2);
    CHECK_INT(result.kernels, 6);
    yajl_val root = read_trace(out);
    CHECK_INT(count_of(root, "kernel"), 6);
    yajl_tree_free(root);
    char find[256], other[512] = "";
    snprintf(find, sizeof find, "ls '%s'/t.*.json", directory);
    FILE *listing = popen(find, "r");
    CHECK(listing && fgets(other, sizeof other, listing));
    if (listing)
        pclose(listing);
    other[strcspn(other, "\n")] = '\0';
    root = read_trace(other);
    CHECK_INT(count_of(root, "kernel"), 2);
    yajl_tree_free(root);
    CHECK_INT(unlink(other), 0);
    check_case("of two processes the busier one gets the name, the other its process id");
}

static void test_failures(void) {
    CHECK_INT(play((habitat_launch_options){0}, "basic", "fail"), 1);
    CHECK_INT(result.program_status, 9);
    char want[256];
    snprintf(want, sizeof want, "exited with status 9; %s holds the 6 kernels recorded until then",
             out);
    CHECK_TEXT(result.message, want);
    yajl_val root = read_trace(out);
    CHECK_INT(count_of(root, "kernel"), 6);
    yajl_tree_free(root);
    CHECK_INT(play((habitat_launch_options){.counters = true}, "dropped", "fail"), 1);
    CHECK_INT(result.counted, 0);
    CHECK(strstr(result.message, "7 records dropped") != NULL);
    check_case("of a program that fails the trace is kept, and told to be a part");
    CHECK_INT(play((habitat_launch_options){0}, "nothing", "fail"), 1);
    CHECK_TEXT(result.message, "exited with status 9; no trace was kept: no kernel was recorded");
    CHECK(access(out, F_OK) != 0);
    CHECK_INT(play((habitat_launch_options){0}, "basic", "abort"), 1);
    CHECK_INT(result.program_status, 134);
    CHECK_TEXT(result.message, "was ended by signal 6 (Aborted); no trace was kept");
    check_case("a program ended by a signal is named so");
    CHECK_INT(play((habitat_launch_options){0}, "basic", "_exit"), 1);
    CHECK(strstr(result.message, "_exit") != NULL);
    check_case("a program that leaves by _exit is explained");
    CHECK_INT(play((habitat_launch_options){0}, "no-cuda", "exit"), 1);
    CHECK(strstr(result.message, "no CUDA call") != NULL);
    check_case("a program without CUDA is explained");
    CHECK_INT(play((habitat_launch_options){.cupti = "/nonexistent/libcupti.so"}, "basic", "exit"),
              1);
    CHECK(strstr(result.message, "HABITAT_RECORD_CUPTI") != NULL);
    check_case("a CUPTI that is not there is named");
    setenv("FAKE_CUPTI_VERSION", "12", 1);
    CHECK_INT(play((habitat_launch_options){0}, "basic", "exit"), 1);
    CHECK(strstr(result.message, "older than CUDA 11.8") != NULL);
    unsetenv("FAKE_CUPTI_VERSION");
    check_case("a CUPTI with other record layouts is refused");
    setenv("FAKE_CUPTI_BUSY", "1", 1);
    CHECK_INT(play((habitat_launch_options){0}, "basic", "exit"), 1);
    CHECK(strstr(result.message, "another profiler") != NULL);
    CHECK(strstr(result.message, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED") != NULL);
    unsetenv("FAKE_CUPTI_BUSY");
    check_case("another profiler in the process is named");

    char *none[] = {(char *)"/nonexistent/program", NULL};
    habitat_launch_options o = {.argv = none, .out = out, .library = RECORDER};
    CHECK_INT(habitat_launch_run(&o, &result), 1);
    CHECK_INT(result.program_status, -1);
    CHECK(strstr(result.message, "cannot be run: No such file or directory; check") != NULL);
    o.argv = NULL;
    CHECK_INT(habitat_launch_run(&o, &result), 2);
    CHECK_INT(play((habitat_launch_options){.out = "/nonexistent/t.json"}, "basic", "exit"), 1);
    CHECK_INT(play((habitat_launch_options){.library = "/nonexistent/lib.so"}, "basic", "exit"), 1);
    CHECK_INT(play((habitat_launch_options){.out = directory}, "basic", "exit"), 1);
    CHECK(strstr(result.message, "not a file") != NULL);
    check_case("no program, no place to write, no recorder: errors");
}

/* Waits until a program has written its process id to `path`. */
static pid_t ready(const char *path) {
    long pid = 0;
    for (int i = 0; i < 3000 && pid == 0; i++) {
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%ld", &pid) != 1)
            pid = 0;
        if (file)
            fclose(file);
        usleep(10000);
    }
    unlink(path);
    return (pid_t)pid;
}

/* Sends `number` to a process that records `end`; its exit status, and *app gets the program's id.
 */
static int interrupt(int number, const char *end, pid_t *app) {
    char path[128];
    int status = 0;
    snprintf(path, sizeof path, "%s/ready", directory);
    setenv("FAKE_APP_READY", path, 1);
    fflush(stdout);
    pid_t launcher = fork();
    if (launcher == 0)
        _exit(play((habitat_launch_options){.counters = true}, "basic", end));
    *app = ready(path);
    CHECK(*app > 0);
    CHECK_INT(kill(launcher, number), 0);
    CHECK_INT(waitpid(launcher, &status, 0), launcher);
    unsetenv("FAKE_APP_READY");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static size_t entries_of(const char *path) {
    size_t n = 0;
    DIR *folder = opendir(path);
    for (struct dirent *e; folder && (e = readdir(folder));)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    if (folder)
        closedir(folder);
    return n;
}

static void test_signals(void) {
    static const int numbers[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
    pid_t app;
    unlink(out);
    for (size_t i = 0; i < 4; i++) {
        CHECK_INT(interrupt(numbers[i], "wait", &app), 128 + numbers[i]);
        CHECK(kill(app, 0) != 0);
        CHECK_INT(entries_of(directory), 0);
    }
    check_case("a signal that ends the recording ends its program and leaves no file");
    CHECK_INT(interrupt(SIGTERM, "heed", &app), 0);
    CHECK(kill(app, 0) != 0);
    yajl_val root = read_trace(out);
    CHECK_INT(count_of(root, "kernel"), 6);
    CHECK(get(root, "habitat", "counters") == NULL);
    yajl_tree_free(root);
    CHECK_INT(unlink(out), 0);
    CHECK_INT(entries_of(directory), 0);
    check_case(
        "a program that heeds the signal and ends well leaves its trace; it is not run again");
    sigset_t mask;
    CHECK_INT(sigprocmask(SIG_BLOCK, NULL, &mask), 0);
    CHECK(!sigismember(&mask, SIGTERM) && !sigismember(&mask, SIGCHLD));
    check_case("signals are as they were");
}

/* The fake's counters: 1000 times a metric's place among {read, write, fadd, fmul, ffma, tensor
 * fp16}, plus the grid's width, 264. So read + write = 1264 + 2264, fp32 = 3264 + 4264 + 2 * 5264,
 * tensor = 6264. */
static void test_counters(void) {
    habitat_launch_options all = {.counters = true, .counters_percentile = 0};
    CHECK_INT(play(all, "basic", "exit"), 0);
    CHECK_TEXT(result.message, "");
    CHECK_INT(result.counted, 6);
    yajl_val root = read_trace(out), k = event_at(root, "kernel", 0, NULL);
    CHECK_INT(count_of(root, "kernel"), 6);
    CHECK_INT(number(k, "args", "dram bytes"), 3528);
    CHECK_INT(number(k, "args", "dram read bytes"), 1264);
    CHECK_INT(number(k, "args", "flop fp32"), 18056);
    CHECK_INT(number(k, "args", "flop tensor fp16"), 6264);
    CHECK_INT(number(k, "args", "flop"), 24320); /* 18056 + 6264 */
    CHECK(get(k, "args", "flop fp64") == NULL);  /* the fake chip cannot count it: unknown, not 0 */
    CHECK_INT(element(k, "grid", 0), 264);
    CHECK_INT(number(event_at(root, "kernel", 5, NULL), "args", "dram bytes"), 3528);
    yajl_val about = get(root, "habitat", "counters");
    CHECK_TEXT(text(about, "chip", NULL), "FAKE100");
    CHECK(YAJL_IS_TRUE(get(about, "complete", NULL)));
    CHECK_INT(number(about, "passes", NULL), 3);
    CHECK_INT(number(about, "measured", NULL),
              2); /* gemm and axpy; not the kernel that is not in the trace */
    check_case(
        "counters of each kernel and configuration, measured once, stand on all its launches");
    yajl_tree_free(root);

    /* Times: three of 100.000 us (gemm), three of 400.001 (axpy). The 99.5th percentile of six is
     * the greatest. */
    habitat_launch_options top = {.counters = true, .counters_percentile = -1};
    CHECK_INT(play(top, "basic", "exit"), 0);
    CHECK_INT(result.counted, 3);
    root = read_trace(out);
    CHECK(get(event_at(root, "kernel", 0, NULL), "args", "dram bytes") == NULL);
    CHECK_INT(number(event_at(root, "kernel", 1, NULL), "args", "dram bytes"), 3528);
    CHECK_NEAR(number(get(root, "habitat", "counters"), "percentile", NULL), 99.5, 1e-12);
    check_case("by default only kernels at or above the 99.5th percentile of the times");
    yajl_tree_free(root);

    setenv("FAKE_CUPTI_COUNTERS", "push", 1);
    CHECK_INT(play(all, "basic", "exit"), 0);
    CHECK_INT(result.counted, 6);
    check_case("a CUPTI that wants ranges pushed is served");
    setenv("FAKE_CUPTI_COUNTERS", "old", 1);
    CHECK_INT(play(all, "basic", "exit"), 0);
    root = read_trace(out);
    CHECK_INT(number(event_at(root, "kernel", 0, NULL), "args", "flop fp32"), 18056);
    CHECK(get(event_at(root, "kernel", 0, NULL), "args", "flop tensor fp16") == NULL);
    check_case("metrics the chip lacks are left out");
    yajl_tree_free(root);
    setenv("FAKE_CUPTI_COUNTERS", "denied", 1);
    CHECK_INT(play(all, "basic", "exit"), 0);
    CHECK_INT(result.counted, 0);
    CHECK_INT(result.kernels, 6);
    CHECK(strstr(result.message, "NVreg_RestrictProfilingToAdminUsers=0") != NULL);
    root = read_trace(out);
    CHECK_INT(count_of(root, "kernel"), 6);
    check_case("no permission: the remedy is named and the trace goes on without");
    yajl_tree_free(root);
    unsetenv("FAKE_CUPTI_COUNTERS");
}

/* gemm is measured; the launch of axpy never ends. */
static void test_hanging_launch(void) {
    setenv("FAKE_CUPTI_COUNTERS", "hang", 1);
    setenv("HABITAT_RECORD_WAIT_SECONDS", "0", 1);
    CHECK_INT(play((habitat_launch_options){.counters = true}, "basic", "exit"), 0);
    CHECK_INT(result.counted, 3);
    CHECK_TEXT(result.message, "hardware counters: a launch that was being measured did not end "
                               "within 0 s of the program; its counters are missing");
    yajl_val root = read_trace(out), about = get(root, "habitat", "counters");
    CHECK_INT(number(event_at(root, "kernel", 0, NULL), "args", "dram bytes"), 3528);
    CHECK(get(event_at(root, "kernel", 1, NULL), "args", "dram bytes") == NULL);
    CHECK(about && YAJL_IS_FALSE(get(about, "complete", NULL)));
    CHECK_INT(number(about, "measured", NULL), 1);
    check_case("a launch that hangs: what came before it is written, and told to be incomplete");
    yajl_tree_free(root);
    unsetenv("FAKE_CUPTI_COUNTERS");
    unsetenv("HABITAT_RECORD_WAIT_SECONDS");
}

static void test_command(void) {
    char app[] = FAKE_APP, basic[] = "basic", end[] = "exit", secret[] = "--password=hunter2";
    char *argv[] = {app, basic, end, secret, NULL};
    habitat_launch_options o = {.argv = argv, .out = out, .library = RECORDER, .cupti = FAKE_CUPTI};
    CHECK_INT(habitat_launch_run(&o, &result), 0);
    yajl_val root = read_trace(out);
    const char *command = text(root, "habitat", "command");
    CHECK(command && strstr(command, " basic exit --password=***") != NULL);
    CHECK(command && !strstr(command, "hunter2"));
    yajl_tree_free(root);
    o.no_command = true;
    CHECK_INT(habitat_launch_run(&o, &result), 0);
    root = read_trace(out);
    CHECK(YAJL_IS_NULL(get(root, "habitat", "command")));
    yajl_tree_free(root);
    check_case("the command stands in the trace without its secrets, or not at all");
}

/* The program and this process both write numbers with a decimal comma. */
static void test_comma_locale(void) {
    char make[256], remove[160];
    snprintf(make, sizeof make, "%s %s/locale 2>/dev/null", COMMA_LOCALE, directory);
    snprintf(remove, sizeof remove, "rm -rf %s/locale", directory);
    char folder[64];
    snprintf(folder, sizeof folder, "%s/locale", directory);
    bool made = system(make) == 0;
    setenv("LOCPATH", folder, 1);
    if (made && setlocale(LC_NUMERIC, "comma")) {
        char text[16];
        snprintf(text, sizeof text, "%.1f", 12.5);
        CHECK_TEXT(text, "12,5");
        setenv("FAKE_APP_LOCALE", "comma", 1);
        CHECK_INT(play((habitat_launch_options){.counters = true, .counters_percentile = 12.5},
                       "basic", "exit"),
                  0);
        unsetenv("FAKE_APP_LOCALE");
        setlocale(LC_NUMERIC, "C");
        yajl_val root = read_trace(out), k = event_at(root, "kernel", 0, NULL);
        CHECK(root != NULL);
        CHECK_NEAR(number(k, "dur", NULL), 100.0, 1e-12);
        CHECK_NEAR(number(k, "args", "warps per SM"), 16, 1e-12);
        CHECK_INT(number(k, "args", "dram bytes"), 3528);
        yajl_val copy = event_at(root, "gpu_memcpy", 0, NULL);
        CHECK_NEAR(number(copy, "args", "memory bandwidth (GB/s)"), 4.0, 1e-6);
        CHECK_NEAR(number(get(root, "habitat", "counters"), "percentile", NULL), 12.5, 1e-12);
        yajl_tree_free(root);
    } else {
        printf("# no localedef: not tried under a comma locale\n");
    }
    unsetenv("LOCPATH");
    CHECK_INT(system(remove), 0);
    check_case("a program with a decimal comma gives the same JSON");
}

static void test_compressed(void) {
    char packed[160];
    snprintf(packed, sizeof packed, "%s/t.json.gz", directory);
    CHECK_INT(play((habitat_launch_options){.out = packed}, "basic", "exit"), 0);
    FILE *file = fopen(packed, "rb");
    CHECK(file && getc(file) == 0x1f && getc(file) == 0x8b);
    if (file)
        fclose(file);
    yajl_val root = read_trace(packed);
    CHECK_INT(count_of(root, "kernel"), 6);
    yajl_tree_free(root);
    CHECK_INT(unlink(packed), 0);
    check_case("a name in .gz gives a compressed trace");
    unlink(out);
    CHECK_INT(rmdir(directory), 0);
    check_case("nothing else is left behind");
}

int main(void) {
    if (!mkdtemp(directory))
        return 1;
    snprintf(out, sizeof out, "%s/t.json", directory);
    test_basic();
    test_iterations();
    test_disorder();
    test_drops();
    test_hostile();
    test_devices();
    test_processes();
    test_two_processes();
    test_failures();
    test_signals();
    test_counters();
    test_hanging_launch();
    test_command();
    test_comma_locale();
    test_compressed();
    return check_done();
}
