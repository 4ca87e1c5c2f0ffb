/* A host process that runs out of memory and goes on: each allocation of a prediction fails once.
 * The call ends in HABITAT_E_MEMORY or in the untouched answer; the same question asked again in
 * the same process gives the untouched answer, so nothing of the failure was kept; and no memory is
 * lost. Each case runs in a fork. Thinned, but for HABITAT_ALLOC_LOOP=all. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <habitat/habitat.h>
#include <habitat/json.h>

#include "../stubs/failing_alloc.h"
#include "check.h"
#include "predict/operations.h"
#include "report/split.h"

static unsigned long counted;

static habitat_status ask_trace(const habitat_gpu_table *gpus, const habitat_trace *trace,
                                bool predict, char **out, habitat_error *err) {
    const habitat_gpu *to[2] = {NULL, NULL}, *origin = NULL;
    habitat_request request = {.trace = trace, .gpus = gpus, .no_predictions = true};
    if (!predict)
        return habitat_json_answer(&request, NULL, false, out, err);
    habitat_status status = habitat_gpu_find(gpus, "V100-PCIE-32GB", &to[0], NULL, err);
    if (status == HABITAT_OK)
        status = habitat_gpu_find(gpus, "MI300X", &to[1], NULL, err);
    if (status == HABITAT_OK)
        status = habitat_gpu_find(gpus, "H200", &origin, NULL, err);
    request = (habitat_request){
        .trace = trace, .gpus = gpus, .origin = origin, .destination_count = 2, .destinations = to};
    return status == HABITAT_OK ? habitat_json_answer(&request, "op", false, out, err) : status;
}

/* Everything from the files to the answer, and everything freed again but the answer. */
static habitat_status ask(bool predict, char **out, habitat_error *err) {
    static const char calibration[] = HABITAT_SOURCE_DIR "/data/calibrations/H200-SXM5-141GB.json";
    static const char path[] =
        HABITAT_SOURCE_DIR "/tests/golden/traces/resnet50_b4_first_layers.json.gz";
    habitat_gpu_table *gpus = NULL;
    habitat_trace *trace = NULL;
    habitat_status status = habitat_gpu_table_create(NULL, &gpus, err);
    if (status == HABITAT_OK)
        status = habitat_gpu_table_add_file(gpus, calibration, NULL, err);
    if (status == HABITAT_OK)
        status = habitat_trace_read(path, &trace, err);
    if (status == HABITAT_OK)
        status = ask_trace(gpus, trace, predict, out, err);
    habitat_trace_free(trace);
    habitat_gpu_table_free(gpus);
    return status;
}

/* The child: 0 fine, 2 fine and no n-th allocation any more, 1 wrong. */
static int fail_once(bool predict, unsigned long n, bool rest, const char *want) {
    char *first = NULL, *second = NULL;
    habitat_error err = {0};
    counted = 0;
    failing_alloc.fail_at = n;
    failing_alloc.fail_rest = rest;
    failing_alloc.armed = true;
    habitat_status status = ask(predict, &first, &err);
    failing_alloc.armed = false;
    bool reached = counted >= n;
    if (status == HABITAT_OK ? !first || strcmp(first, want) != 0
                             : status != HABITAT_E_MEMORY || first || !err.message[0]) {
        printf("# allocation %lu: status %d: %s\n", n, (int)status, err.message);
        return 1;
    }
    habitat_json_free(first);
    status = ask(predict, &second, &err);
    if (status != HABITAT_OK || strcmp(second, want) != 0) {
        printf("# after allocation %lu failed, another answer\n", n);
        return 1;
    }
    habitat_json_free(second);
    return reached ? 0 : 2;
}

/* Pieces of memory that stay in use when all is freed: what the library keeps for the process. */
static int kept_pieces(bool predict, unsigned long n, bool rest, const char *want, long *kept) {
    long before = failing_alloc.live;
    int code = fail_once(predict, n, rest, want);
    *kept = failing_alloc.live - before;
    return code;
}

static int in_fork(bool predict, unsigned long n, bool rest, const char *want, long expected) {
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        long kept = 0;
        int code = kept_pieces(predict, n, rest, want, &kept);
        if (code != 1 && kept != expected) {
            printf("# allocation %lu: %ld pieces of memory are kept, not %ld\n", n, kept, expected);
            code = 1;
        }
        fflush(stdout);
        _exit(code);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    if (!WIFEXITED(status))
        printf("# allocation %lu: signal %d\n", n, WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void test_all(bool predict, bool rest, const char *name) {
    char *want = NULL;
    habitat_error err = {0};
    int code = 0, bad = 0, ends[2], status = 0;
    unsigned long tried = 0;
    long expected = 0;
    /* in forks too: here the library is to stay as it is when a process starts */
    if (pipe(ends) != 0)
        exit(1);
    pid_t child = fork();
    if (child == 0) {
        long before = failing_alloc.live;
        if (ask(predict, &want, &err) != HABITAT_OK)
            _exit(1);
        long lengths[2] = {failing_alloc.live - before - 1, (long)strlen(want) + 1};
        bool sent = write(ends[1], lengths, sizeof lengths) == (ssize_t)sizeof lengths;
        for (long at = 0; sent && at < lengths[1];) {
            ssize_t put = write(ends[1], want + at, (size_t)(lengths[1] - at));
            sent = put > 0;
            at += put;
        }
        _exit(!sent);
    }
    close(ends[1]);
    long lengths[2] = {0, 0};
    CHECK(read(ends[0], lengths, sizeof lengths) == (ssize_t)sizeof lengths);
    expected = lengths[0];
    want = calloc((size_t)lengths[1] + 1, 1);
    for (long at = 0, got; at < lengths[1]; at += got)
        if ((got = read(ends[0], want + at, (size_t)(lengths[1] - at))) <= 0)
            break;
    close(ends[0]);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    bool every = getenv("HABITAT_ALLOC_LOOP") && !strcmp(getenv("HABITAT_ALLOC_LOOP"), "all");
    for (unsigned long n = 1; code != 2 && bad < 3; n += every ? 1 : 1 + n / 10) {
        code = in_fork(predict, n, rest, want, expected);
        bad += code == 1;
        tried += code != 2;
    }
    CHECK_INT(bad, 0);
    printf("# %lu tried\n", tried);
    free(want);
    check_case(name);
}

/* The rows of a report, every allocation of them failing once: the same rows, or HABITAT_E_MEMORY.
 */
static void test_rows(const habitat_trace *trace, const habitat_gpu *origin) {
    habitat_workload *workload = NULL;
    CHECK_INT(habitat_workload_create(trace, origin, &workload, NULL), HABITAT_OK);
    size_t want = 0, refused = 0;
    for (unsigned long n = 0;; n++) {
        split rows = {0};
        counted = 0;
        failing_alloc.fail_at = n;
        failing_alloc.armed = true;
        habitat_status status = split_create(trace, workload, workload, SPLIT_OP, &rows, NULL);
        failing_alloc.armed = false;
        if (n == 0)
            want = rows.row_count;
        CHECK(status == HABITAT_OK ? rows.row_count == want : status == HABITAT_E_MEMORY);
        refused += status != HABITAT_OK;
        if (status == HABITAT_OK)
            split_free(&rows);
        if (n && counted < n)
            break;
    }
    CHECK(want > 10 && refused > 5);
    habitat_workload_free(workload);
}

/* A workload of a recording, every allocation of it failing once: the same operations have known
 * work, or HABITAT_E_MEMORY. */
static void test_parts(void) {
    static const char path[] = HABITAT_SOURCE_DIR "/data/recordings/resnet50_b4_fp32_h200.json.gz";
    habitat_gpu_table *gpus = NULL;
    const habitat_gpu *origin = NULL;
    habitat_trace *trace = NULL;
    CHECK_INT(habitat_gpu_table_create(NULL, &gpus, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(gpus, "H200", &origin, NULL, NULL), HABITAT_OK);
    CHECK_INT(habitat_trace_read(path, &trace, NULL), HABITAT_OK);
    uintptr_t want_known = 0;
    size_t refused = 0;
    for (unsigned long n = 0;; n++) { /* 0: nothing fails */
        habitat_workload *workload = NULL;
        counted = 0;
        failing_alloc.fail_at = n;
        failing_alloc.fail_rest = false;
        failing_alloc.armed = true;
        habitat_status status = habitat_workload_create(trace, origin, &workload, NULL);
        failing_alloc.armed = false;
        size_t count = 0;
        uintptr_t known = 0; /* which operations: the sum of their places */
        const habitat_workload_group *groups =
            status == HABITAT_OK ? habitat_workload_groups(workload, &count) : NULL;
        for (size_t i = 0; i < count; i++)
            known += groups[i].work->known ? (uintptr_t)groups[i].operation : 0;
        if (n == 0)
            want_known = known;
        CHECK(status == HABITAT_OK ? known == want_known : status == HABITAT_E_MEMORY);
        refused += status != HABITAT_OK;
        habitat_workload_free(workload);
        if (n && counted < n)
            break;
    }
    CHECK(want_known > 10 && refused > 10);
    test_rows(trace, origin);
    habitat_trace_free(trace);
    habitat_gpu_table_free(gpus);
    check_case("workload: each allocation fails");
}

/* An operation that no model knows, whose note is the first that the arena keeps: asked without a
 * place for an error. */
static void test_note_without_error(void) {
    habitat_gpu_table *gpus = NULL;
    const habitat_gpu *gpu = NULL;
    habitat_models *models = NULL;
    habitat_work work;
    habitat_attention_shape shape = {1, 16, 16, 128, 128, 64, 64, false, false, false};
    CHECK_INT(habitat_gpu_table_create(NULL, &gpus, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(gpus, "H200", &gpu, NULL, NULL), HABITAT_OK);
    CHECK_INT(habitat_models_load_default(&models, NULL), HABITAT_OK);
    CHECK_INT(habitat_work_attention(&shape, HABITAT_DTYPE_FP64, HABITAT_PASS_FORWARD, &work),
              HABITAT_OK);
    const habitat_model_query query = {.work = &work};
    const operations_by by = {.method = HABITAT_METHOD_AUTO, .models = models};
    bool done = false;
    size_t refused = 0;
    for (unsigned long n = 0; !done; n++) { /* 0: nothing fails, and what is kept is there */
        habitat_arena arena = {0};
        habitat_operation_estimate out;
        counted = 0;
        failing_alloc.fail_at = n;
        failing_alloc.fail_rest = false;
        failing_alloc.armed = true;
        habitat_status status = operations_predict(&by, gpu, 1, &query, &arena, &out, NULL);
        failing_alloc.armed = false;
        done = n && counted < n;
        CHECK_INT(status, done || !n ? HABITAT_OK : HABITAT_E_MEMORY);
        CHECK(!done || out.outside_note);
        refused += status != HABITAT_OK;
        habitat_arena_free(&arena);
    }
    CHECK(refused > 5);
    habitat_models_free(models);
    habitat_gpu_table_free(gpus);
    check_case("a note without a place for an error: each allocation fails");
}

int main(void) {
    failing_alloc.counted = &counted;
    test_note_without_error();
    test_parts();
    test_all(false, false, "info: one allocation fails");
    test_all(false, true, "info: all allocations from one on fail");
    test_all(true, false, "predict: one allocation fails");
    test_all(true, true, "predict: all allocations from one on fail");
    return check_done();
}
