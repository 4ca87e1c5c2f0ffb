/* Nsight Systems' SQLite exports: small databases in the layouts of three generations of nsys. */
#include <stdlib.h>
#include <unistd.h>

#ifdef HABITAT_TEST_SQLITE
#include <sqlite3.h>
#endif

#include <habitat/trace.h>

#include <habitat/predict.h>

#include "check.h"
#include "made_gpu.h"

#ifdef HABITAT_TEST_SQLITE

static char path[] = "/tmp/habitat-nsys-XXXXXX";

/* Write a database by SQL; the file is replaced. */
static void make(const char *sql) {
    sqlite3 *db;
    char *message = NULL;
    unlink(path);
    CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
        printf("# %s\n", message);
        check_case_failed = 1;
    }
    sqlite3_free(message);
    sqlite3_close(db);
}

static habitat_trace *read_good(void) {
    habitat_trace *t = NULL;
    habitat_error err = {0};
    habitat_status status = habitat_trace_read(path, &t, &err);
    if (status != HABITAT_OK)
        printf("# %s\n", err.message);
    CHECK_INT(status, HABITAT_OK);
    return t;
}

static void check_bad(const char *sql, habitat_status want, const char *message) {
    habitat_trace *t = NULL;
    habitat_error err = {0};
    make(sql);
    CHECK_INT(habitat_trace_read(path, &t, &err), want);
    CHECK_TEXT(err.message, message);
    CHECK_TEXT(err.file, path);
    CHECK(t == NULL);
}

/* Two processes use correlation 1; process 3 thread 4 is (3 << 24) + 4 = 50331652, process 5
 * thread 6 is (5 << 24) + 6 = 83886086. CUDA device 1 is GPU 0. */
static const char recent[] =
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO StringIds VALUES (1, 'sgemm'), (2, 'void sgemm<float>(int)'), "
    "(3, 'cudaLaunchKernel_v7000'), (4, 'habitat_iteration'), (5, 'layer'), "
    "(6, 'cudaGraphLaunch_v10000'), (7, 'ncclDevKernel_AllReduce');"
    "CREATE TABLE TARGET_INFO_GPU (vmId INT, id INT, name TEXT, totalMemory INT, smCount INT, "
    "computeMajor INT, computeMinor INT, maxWarpsPerSm INT, threadsPerWarp INT, "
    "maxRegistersPerSm INT, maxShmemPerSm INT, maxShmemPerBlockOptin INT);"
    "INSERT INTO TARGET_INFO_GPU VALUES (1, 0, 'NVIDIA H100 80GB HBM3', 85899345920, 132, 9, 0, "
    "64, 32, 65536, 233472, 232448), (1, 1, 'NVIDIA T4', 1, 40, 7, 5, 32, 32, 65536, 65536, "
    "65536);"
    "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INT, cudaId INT, pid INT);"
    "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 3), (0, 1, 3);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, "
    "greenContextId INT, streamId INT, correlationId INT, globalPid INT, demangledName INT, "
    "shortName INT, mangledName INT, registersPerThread INT, gridX INT, gridY INT, gridZ INT, "
    "blockX INT, blockY INT, blockZ INT, staticSharedMemory INT, dynamicSharedMemory INT, "
    "graphNodeId INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
    "(5000, 7500, 1, 1, NULL, 7, 1, 50331648, 2, 1, NULL, 96, 4, 5, 6, 256, 1, 1, 1024, 2048, "
    "NULL),"
    "(6000, 7000, 1, 1, NULL, 8, 1, 83886080, 7, 7, NULL, 32, 1, 1, 1, 64, 1, 1, 0, 0, NULL),"
    "(9000, 9100, 1, 1, NULL, 7, 2, 50331648, 1, 1, NULL, 32, 1, 1, 1, 64, 1, 1, 0, 0, 77);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, streamId INT, "
    "correlationId INT, globalPid INT, bytes INT, copyKind INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (4000, 4200, 1, 7, 3, 50331648, 4096, 1);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT, deviceId INT, streamId INT, "
    "correlationId INT, globalPid INT, bytes INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (4300, 4400, 1, 7, 4, 50331648, 64);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, "
    "correlationId INT, nameId INT, returnValue INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (2100, 2200, 0, 50331652, 1, 3, 0), "
    "(2150, 2160, 0, 83886086, 1, 3, 0), (2300, 2400, 0, 50331652, 2, 6, 0);"
    "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, rangeId INT, text TEXT, "
    "globalTid INT, textId INT, domainId INT);"
    "INSERT INTO NVTX_EVENTS VALUES (2000, 3000, 59, NULL, NULL, 50331652, 4, 0), "
    "(2050, 2250, 59, NULL, NULL, 50331652, 5, 0), (2060, NULL, 34, NULL, 'mark', 50331652, NULL, "
    "0), (2070, NULL, 59, NULL, 'never ended', 50331652, NULL, 0);";

static void check_recent(void) {
    make(recent);
    habitat_trace *t = read_good();
    if (!t)
        return;
    size_t count;
    const habitat_trace_info *info = habitat_trace_get_info(t);
    const habitat_operation *o = habitat_trace_operations(t, &count);
    CHECK_TEXT(info->format, "nsys-sqlite");
    CHECK_INT(count, 2);
    CHECK_TEXT(o[0].form->name, "habitat_iteration");
    CHECK_TEXT(o[1].form->name, "layer");
    CHECK(o[1].form->kind == HABITAT_OPERATION_RANGE && o[1].parent == 0);
    CHECK_INT(o[0].start_ns, 0); /* times start at the first event: 2000 */
    const habitat_kernel *k = habitat_trace_kernels(t, &count);
    CHECK_INT(count, 5);
    check_case("recent layout: ranges and counts");
    CHECK_TEXT(k[0].form->copy_kind, "HtoD");
    CHECK(k[0].form->kind == HABITAT_KERNEL_MEMCPY && k[0].form->bytes == 4096);
    CHECK(k[1].form->kind == HABITAT_KERNEL_MEMSET && k[1].form->bytes == 64);
    CHECK_TEXT(k[2].form->name, "void sgemm<float>(int)");
    CHECK(k[2].start_ns == 3000 && k[2].duration_ns == 2500 && k[2].form->device == 1);
    CHECK(k[2].form->stream == 7 && habitat_trace_correlation(t, &k[2]) == 1 &&
          k[2].form->registers_per_thread == 96);
    CHECK(k[2].form->grid[0] == 4 && k[2].form->grid[1] == 5 && k[2].form->grid[2] == 6 &&
          k[2].form->block[0] == 256);
    CHECK_INT(k[2].form->shared_memory_bytes, 3072);
    CHECK_INT(k[2].operation, 1);
    CHECK_INT(habitat_trace_launch(t, &k[2])->start_ns, 100);
    CHECK(k[3].form->kind == HABITAT_KERNEL_COLLECTIVE && k[3].operation == HABITAT_NONE);
    CHECK_INT(habitat_trace_launch(t, &k[3])->start_ns, 150); /* its own process's launch */
    CHECK(k[4].in_graph && k[4].operation == 0 && !k[2].in_graph);
    check_case("recent layout: kernels, copies, launches by process");
    CHECK_TEXT(info->device_facts.name, "NVIDIA H100 80GB HBM3");
    CHECK(info->device == 1 && info->device_facts.sm_count == 132);
    CHECK_INT(info->device_facts.compute_capability, 90);
    CHECK_INT(info->device_facts.threads_per_sm, 2048);
    CHECK_INT(info->device_facts.memory_bytes, 85899345920);
    const habitat_iteration *it = habitat_trace_iterations(t, &count);
    CHECK(count == 1 && it->kernel_count == 3 && it->duration_ns == 1000);
    CHECK_NEAR(it->kernel_ms, 0.0036, 1e-12); /* 2500 + 1000 + 100 ns */
    CHECK_NEAR(it->busy_ms, 0.0026, 1e-12);   /* 1000 of them overlap */
    check_case("recent layout: the GPU, the iteration");
    habitat_trace_free(t);
}

/* An event is put into stream 7 by call 11 and, a second time, into stream 8 by call 13; call 12
 * waits for the first, call 14 for the second, and calls 15 and 16 for all there is. Process 5 uses
 * the same numbers. -1 and 4294967295 are CUPTI's words for "none". */
static const char with_waits[] =
    "INSERT INTO StringIds VALUES (21, 'cudaEventRecord_v3020'), (22, "
    "'cudaStreamWaitEvent_v3020'), (23, 'cudaStreamSynchronize_v3020'), (24, 'cuCtxSynchronize');"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (2410, 2411, 0, 50331652, 11, 21, 0), "
    "(2420, 2421, 0, 50331652, 12, 22, 0), (2430, 2431, 0, 50331652, 13, 21, 0), "
    "(2440, 2441, 0, 50331652, 14, 22, 0), (2450, 2490, 0, 50331652, 15, 23, 0), "
    "(2500, 2510, 0, 50331652, 16, 24, 0), (2450, 2460, 0, 83886086, 11, 21, 0), "
    "(2470, 2471, 0, 50331652, 0, 3, 0);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INT, contextId INT, streamId INT, "
    "correlationId INT, globalPid INT, eventId INT, eventSyncId INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (1, 1, 7, 11, 50331648, 5, 101), "
    "(1, 1, 8, 13, 50331648, 5, 102), (1, 1, 9, 11, 83886080, 6, 101);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INT, end INT, deviceId INT, "
    "contextId INT, streamId INT, correlationId INT, globalPid INT, syncType INT, eventId INT, "
    "eventSyncId INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES "
    "(2420, 2421, 1, 1, 13, 12, 50331648, 2, 5, 101), (2440, 2441, 1, 1, 14, 14, 50331648, 2, 5, "
    "102), (2450, 2490, 1, 1, 7, 15, 50331648, 3, 4294967295, NULL), "
    "(2500, 2510, 1, 1, -1, 16, 50331648, 4, -1, NULL), "
    "(2600, 2610, 1, 1, 7, 99, 50331648, 3, -1, NULL);";

static void check_waits(void) {
    char sql[sizeof recent + sizeof with_waits];
    snprintf(sql, sizeof sql, "%s%s", recent, with_waits);
    make(sql);
    habitat_trace *t = read_good();
    if (!t)
        return;
    size_t count;
    const habitat_call *c = habitat_trace_calls(t, &count); /* 9 of process 3, then 2 of 5 */
    CHECK_INT(count, 11);
    CHECK(c[0].form->kind == HABITAT_CALL_LAUNCH && c[0].kernel_count == 1 &&
          c[0].form->stream == 7);
    CHECK_TEXT(c[0].form->name, "cudaLaunchKernel_v7000");
    CHECK(c[1].form->kind == HABITAT_CALL_LAUNCH_GRAPH && c[1].kernel_count == 1);
    CHECK(c[2].form->kind == HABITAT_CALL_RECORD_EVENT && c[2].form->stream == 7 &&
          habitat_trace_call_wait(t, 2)->event == 5);
    CHECK(c[3].form->kind == HABITAT_CALL_WAIT_EVENT && c[3].form->stream == 13 &&
          habitat_trace_call_wait(t, 3)->event == 5);
    CHECK(habitat_trace_call_wait(t, 3)->waits_call == 2 &&
          habitat_trace_call_wait(t, 3)->waits_stream == 7);
    CHECK(c[5].form->stream == 14 && habitat_trace_call_wait(t, 5)->waits_call == 4 &&
          habitat_trace_call_wait(t, 5)->waits_stream == 8);
    CHECK(c[6].form->kind == HABITAT_CALL_SYNCHRONISE_STREAM && c[6].form->stream == 7);
    CHECK(habitat_trace_call_wait(t, 6)->event == HABITAT_NONE &&
          habitat_trace_call_wait(t, 6)->waits_call == HABITAT_NONE);
    CHECK(c[7].correlation == 0 && c[7].form->kind == HABITAT_CALL_LAUNCH && !c[7].form->driver);
    CHECK(c[8].form->kind == HABITAT_CALL_SYNCHRONISE_DEVICE && c[8].form->driver);
    CHECK(c[8].form->stream == HABITAT_NONE &&
          habitat_trace_call_wait(t, 8)->event == HABITAT_NONE && c[8].form->device == 1);
    CHECK(c[10].form->thread != c[0].form->thread && c[10].form->stream == 9 &&
          habitat_trace_call_wait(t, 10)->event == 6);
    CHECK(c[10].correlation == 11 && c[9].correlation == 1);
    /* the mark, the range that never ended, the synchronisation without a call */
    CHECK_INT(habitat_trace_get_info(t)->trace_skipped_events, 3);
    habitat_trace_free(t);
    check_case("calls wait for what their process put, by the number of the pair");
}

/* Time of each kernel on another GPU; the class goes into it. */
static size_t predicted_ms(double *ms, size_t size, habitat_class *classes) {
    habitat_gpu origin = made_gpu("o", 132, 1.0, 1000, 10), dest = made_gpu("d", 50, 2.0, 500, 8);
    habitat_trace *t = read_good();
    habitat_workload *w = NULL;
    habitat_prediction *p = NULL;
    size_t count = 0;
    if (t && habitat_workload_create(t, &origin, &w, NULL) == HABITAT_OK &&
        habitat_predict(w, &dest, HABITAT_METHOD_AUTO, &p, NULL) == HABITAT_OK) {
        const habitat_workload_kernel *kernels = habitat_workload_kernels(w, &count);
        for (size_t i = 0; i < count && i < size; i++) {
            ms[i] = p->trace_kernels[i].ms;
            classes[i] = kernels[i].op_class;
        }
    }
    habitat_prediction_free(p);
    habitat_workload_free(w);
    habitat_trace_free(t);
    return count;
}

/* Ranges named like operations and like layers: around everything, around one launch, over the ends
 * of others. */
static void check_ranges_say_nothing(void) {
    char sql[sizeof recent + 1024];
    double ms[8], with_ms[8];
    habitat_class classes[8], with_classes[8];
    make(recent);
    size_t count = predicted_ms(ms, 8, classes);
    CHECK_INT(count, 3); /* copy and set were launched outside the iteration */
    snprintf(sql, sizeof sql,
             "%sINSERT INTO NVTX_EVENTS VALUES "
             "(1000, 9000, 59, NULL, 'embedding', 50331652, NULL, 0),"
             "(2090, 2110, 59, NULL, 'aten::mm', 50331652, NULL, 0),"
             "(2095, 2600, 60, NULL, 'softmax', 50331652, NULL, 0),"
             "(2000, 2310, 59, NULL, 'nn.Module: Linear', 50331652, NULL, 0),"
             "(2000, 2400, 59, NULL, 'conv2d', 83886086, NULL, 0);",
             recent);
    make(sql);
    CHECK_INT(predicted_ms(with_ms, 8, with_classes), count);
    for (size_t i = 0; i < count; i++)
        CHECK(ms[i] == with_ms[i] && classes[i] == with_classes[i]);
    CHECK_INT(classes[0], HABITAT_CLASS_GEMM);
    check_case("NVTX ranges, whatever their names, change no class and no prediction");
}

enum { STEPS = 10 };

/* Ten steps of two kernels, 20 + step and 5 ns; with or without a range around each. */
static void make_steps(bool ranges) {
    char sql[16384];
    int used = snprintf(
        sql, sizeof sql,
        "CREATE TABLE StringIds (id INTEGER, value TEXT);"
        "INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'relu'), (3, 'cudaLaunchKernel');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, "
        "correlationId INT, demangledName INT, gridX INT, gridY INT, gridZ INT, blockX INT, "
        "blockY INT, blockZ INT);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, "
        "correlationId INT, nameId INT);"
        "CREATE TABLE NVTX_EVENTS (start INT, end INT, text TEXT, globalTid INT);");
    for (int i = 0; i < STEPS; i++) {
        int at = 1000 + 100 * i, first = 2 * i + 1, second = 2 * i + 2;
        used += snprintf(sql + used, sizeof sql - (size_t)used,
                         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
                         "(%d, %d, 0, 7, %d, 1, 8, 1, 1, 64, 1, 1), "
                         "(%d, %d, 0, 7, %d, 2, 8, 1, 1, 64, 1, 1);"
                         "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES "
                         "(%d, %d, 50331652, %d, 3), (%d, %d, 50331652, %d, 3);",
                         at + 20, at + 40 + i, first, at + 60, at + 65, second, at + 2, at + 3,
                         first, at + 5, at + 6, second);
        if (ranges)
            used +=
                snprintf(sql + used, sizeof sql - (size_t)used,
                         "INSERT INTO NVTX_EVENTS VALUES (%d, %d, 'step', 50331652);", at, at + 10);
    }
    make(sql);
}

static void check_steps_read(habitat_read_options options, size_t count, double kernel_ns) {
    habitat_trace *t = NULL;
    habitat_error err = {0};
    habitat_gpu origin = made_gpu("o", 132, 1.0, 1000, 10);
    habitat_workload *w = NULL;
    CHECK_INT(habitat_trace_read_with(path, &options, &t, &err), HABITAT_OK);
    CHECK_TEXT(err.message, "");
    if (t && habitat_workload_create(t, &origin, &w, &err) == HABITAT_OK) {
        CHECK_INT(habitat_workload_get_info(w)->iteration_count, count);
        CHECK_NEAR(habitat_workload_get_info(w)->kernel_ms, kernel_ns / 1e6, 1e-12);
        CHECK(!habitat_trace_get_info(t)->iterations_differ);
    }
    CHECK(w != NULL);
    habitat_workload_free(w);
    habitat_trace_free(t);
}

static void check_ten_steps(void) {
    make_steps(true); /* 20 + 5 ns and 0 to 9 ns, 4.5 on average */
    check_steps_read((habitat_read_options){0}, 1, 295);
    check_steps_read((habitat_read_options){.range = "step"}, STEPS, 29.5);
    check_steps_read((habitat_read_options){.iterations = STEPS}, STEPS, 29.5);
    make_steps(false);
    check_steps_read((habitat_read_options){.iterations = STEPS}, STEPS, 29.5);
    check_case("ten steps: by the name of their ranges, and by their number");
}

/* 2019: no process on activities, texts of ranges in place, no graph columns. */
static void check_early(void) {
    make(
        "CREATE TABLE StringIds (id INTEGER, value TEXT);"
        "INSERT INTO StringIds VALUES (9, 'relu'), (2, 'cudaLaunchKernel');"
        "CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT);"
        "INSERT INTO TARGET_INFO_GPU VALUES (0, 'Tesla V100-SXM2-16GB');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT,"
        "streamId INT, correlationId INT, demangledName INT, shortName INT, registersPerThread "
        "INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (50, 60, 0, 1, 7, 1, 9, 9, 16, 1, 1, 1, 32, "
        "1, 1);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, "
        "correlationId INT, nameId INT);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (20, 25, 50331652, 1, 2);"
        "CREATE TABLE NVTX_EVENTS (start INT, end INT, text TEXT, globalTid INT);"
        "INSERT INTO NVTX_EVENTS VALUES (10, 30, 'forward', 50331652);");
    habitat_trace *t = read_good();
    if (t) {
        size_t count;
        const habitat_kernel *k = habitat_trace_kernels(t, &count);
        CHECK(count == 1 && k->operation == 0 && k->form->registers_per_thread == 16);
        CHECK_TEXT(k->form->name, "relu");
        CHECK_TEXT(habitat_trace_get_info(t)->device_facts.name, "Tesla V100-SXM2-16GB");
        CHECK_INT(habitat_trace_get_info(t)->device_facts.sm_count, 0);
        habitat_trace_free(t);
    }
    check_case("early layout: launches without a process, texts in place");
}

static void check_least(void) {
    make("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (50, 60), (70, NULL);"
         "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INT, end INT, deviceId INT, graphId "
         "INT); INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (100, 200, 0, 1);");
    habitat_trace *t = read_good();
    if (t) {
        size_t count;
        const habitat_kernel *k = habitat_trace_kernels(t, &count);
        CHECK_INT(count, 2);
        CHECK_TEXT(k[0].form->name, "unnamed kernel");
        CHECK(k[1].in_graph && k[1].duration_ns == 100);
        CHECK_INT(habitat_trace_get_info(t)->trace_skipped_events, 1);
        CHECK(!habitat_trace_get_info(t)->device_facts.name);
        habitat_trace_free(t);
    }
    check_case("times alone, and a graph traced as a whole");
}

/* What a profiler did not know of a device, and wrote as -1. */
static void check_unknown_facts(void) {
    make("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (50, 60, 0);"
         "CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, totalMemory INT, smCount INT, "
         "computeMajor INT, computeMinor INT, maxWarpsPerSm INT, threadsPerWarp INT, "
         "maxRegistersPerSm INT, maxShmemPerSm INT, maxShmemPerBlockOptin INT);"
         "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA T4', -1, -1, 7, -1, -1, 32, -1, -1, -1);");
    habitat_trace *t = read_good();
    if (t) {
        const habitat_device_facts *f = &habitat_trace_get_info(t)->device_facts;
        CHECK_TEXT(f->name, "NVIDIA T4");
        CHECK(f->memory_bytes == 0 && f->sm_count == 0 && f->compute_capability == 0);
        CHECK(f->threads_per_sm == 0 && f->registers_per_sm == 0);
        CHECK(f->shared_memory_per_sm_bytes == 0 && f->shared_memory_per_block_bytes == 0);
        habitat_trace_free(t);
    }
    check_case("negative facts of a device are not known");
}

/* A report of a part of the program: a domain, a range and a call are older than it, and a kernel
 * whose call is. */
static void check_began_before(void) {
    make("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, correlationId INT);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5, 40, 7), (50, 60, 9);"
         "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, "
         "correlationId INT);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (-3, 2, 50331652, 7), (45, 48, 50331652, "
         "9);"
         "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT);"
         "INSERT INTO NVTX_EVENTS VALUES (-1878291120, NULL, 75, 'TensorRT', 50331652), "
         "(-20, 90, 59, 'step', 50331652), (42, 70, 59, 'forward', 50331652);");
    habitat_trace *t = read_good();
    if (t) {
        size_t ranges, calls, kernels;
        const habitat_operation *o = habitat_trace_operations(t, &ranges);
        const habitat_kernel *k = habitat_trace_kernels(t, &kernels);
        habitat_trace_calls(t, &calls);
        CHECK(ranges == 1 && calls == 1 && kernels == 2);
        CHECK_TEXT(ranges ? o[0].form->name : "", "forward");
        CHECK(k[0].earlier && !k[1].earlier && k[1].operation == 0);
        CHECK_INT(habitat_trace_get_info(t)->trace_skipped_events, 3);
        habitat_trace_free(t);
    }
    check_case("what began before the report is left out");
}

static void check_errors(void) {
    check_bad("CREATE TABLE people (name TEXT);", HABITAT_E_FORMAT,
              "an SQLite database, but no export of Nsight Systems; make one with 'nsys export "
              "--type sqlite'");
    check_bad("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);", HABITAT_E_NO_GPU,
              "no GPU activity in this report; profile again on a machine with a GPU, with 'nsys "
              "profile --trace=cuda,nvtx'");
    check_bad(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT);", HABITAT_E_FORMAT,
        "table CUPTI_ACTIVITY_KIND_KERNEL has no column \"end\"; export it again with a newer "
        "nsys");
    check_bad("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT);"
              "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (50, 40);",
              HABITAT_E_RANGE,
              "table CUPTI_ACTIVITY_KIND_KERNEL, row 1: the duration is negative; export it again");
    check_bad("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT);"
              "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (-1, 40);",
              HABITAT_E_RANGE,
              "table CUPTI_ACTIVITY_KIND_KERNEL, row 1: \"start\" is negative; export it again");
    check_bad("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, gridX INT);"
              "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 40, 5000000000);",
              HABITAT_E_RANGE,
              "table CUPTI_ACTIVITY_KIND_KERNEL, row 1: \"gridX\" is absurdly large; export it "
              "again");
    check_bad(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, gridX INT, gridY INT, "
        "gridZ INT);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 40, 4294967295, 4294967295, "
        "4294967295);",
        HABITAT_E_RANGE,
        "table CUPTI_ACTIVITY_KIND_KERNEL, row 1: the kernel's grid is absurdly large; export "
        "it again");
    check_bad(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ('soon', 40);",
        HABITAT_E_FORMAT,
        "table CUPTI_ACTIVITY_KIND_KERNEL, row 1: \"start\" is not a number; export it again");
    check_case("other databases, missing columns, bad values: exact messages");
}

static void check_damaged(void) {
    habitat_trace *t = NULL;
    habitat_error err = {0};
    make(recent);
    CHECK_INT(truncate(path, 5000), 0);
    CHECK_INT(habitat_trace_read(path, &t, &err), HABITAT_E_PARSE);
    CHECK_TEXT(err.message,
               "damaged SQLite database (database disk image is malformed); export it again");
    CHECK(t == NULL);
    CHECK_INT(truncate(path, 50), 0); /* cut off inside the header */
    CHECK_INT(habitat_trace_read(path, &t, &err), HABITAT_E_PARSE);
    CHECK_TEXT(err.message,
               "damaged SQLite database (database disk image is malformed); export it again");
    check_case("a damaged database is an error, not a short trace");
}

int main(void) {
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    check_recent();
    check_waits();
    check_ranges_say_nothing();
    check_ten_steps();
    check_early();
    check_least();
    check_unknown_facts();
    check_began_before();
    check_errors();
    check_damaged();
    unlink(path);
    return check_done();
}

#else

int main(void) {
    printf("# skipped: built without SQLite\n");
    return 77;
}

#endif
