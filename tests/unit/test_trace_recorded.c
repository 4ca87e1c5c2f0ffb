/* Recorded iterations of real models: counts, sums and links, against numbers worked out of the
 * same files with Python's json and decimal modules. Some are of this repository, some may lie
 * beside it ($HABITAT_TRACES or ../shared/traces) and are left out, with a note, where they do not.
 */
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include <habitat/trace.h>

#include "check.h"

typedef enum place {
    OURS,   /* in the repository */
    BESIDE, /* may be absent */
} place;

typedef struct expected {
    place place;
    const char *file;
    size_t operations, iterations, kernels, copies; /* all devices and iterations */
    uint64_t kernel_ns, copy_ns;
    size_t backward;     /* operations that carry a forward thread id and a number */
    double iteration_ms; /* recorded, unprofiled; 0: none */
} expected;

static const expected table[] = {
    {OURS, "tests/golden/traces/resnet50_b4_first_layers.json.gz", 98, 1, 36, 3, 630645, 2817, 24,
     9.600784},
    {BESIDE, "resnet50_b32_fp32_h200.json.gz", 2508, 1, 725, 17, 16947968, 21889, 356, 0},
    {BESIDE, "inception_v3_b32_fp32_h200.json.gz", 4661, 1, 1517, 74, 34361925, 83584, 634, 0},
    {BESIDE, "bert_large_b8_fp32_h200.json.gz", 15134, 1, 1823, 215, 216538294, 241314, 2872, 0},
};

static const char *folder(void) {
    const char *given = getenv("HABITAT_TRACES");
    return given ? given : HABITAT_SOURCE_DIR "/../shared/traces";
}

static void check_order(const habitat_trace *t) {
    size_t operation_count, kernel_count;
    const habitat_operation *o = habitat_trace_operations(t, &operation_count);
    const habitat_kernel *k = habitat_trace_kernels(t, &kernel_count);
    for (size_t i = 1; i < operation_count; i++)
        CHECK(o[i - 1].form->thread < o[i].form->thread ||
              (o[i - 1].form->thread == o[i].form->thread && o[i - 1].start_ns <= o[i].start_ns));
    for (size_t i = 0; i < operation_count; i++) {
        if (o[i].parent == HABITAT_NONE)
            continue;
        const habitat_operation *p = &o[o[i].parent];
        CHECK(o[i].parent < i && p->form->thread == o[i].form->thread &&
              p->start_ns <= o[i].start_ns);
        CHECK(p->start_ns + p->duration_ns >= o[i].start_ns + o[i].duration_ns);
        CHECK(p->kernel_count >= o[i].kernel_count);
    }
    for (size_t i = 1; i < kernel_count; i++)
        CHECK(k[i - 1].form->device < k[i].form->device ||
              (k[i - 1].form->device == k[i].form->device && k[i - 1].start_ns <= k[i].start_ns));
}

/* An autograd node, or the engine's call around it: what carries a forward thread id. */
static bool is_node(const habitat_operation *o) {
    const char *name = o->form->name;
    return strstr(name, "Backward") && (!strncmp(name, "autograd::", 10) || !strchr(name, ':'));
}

static void check_links(const habitat_trace *t, const expected *e) {
    size_t operation_count, kernel_count, linked = 0, backward = 0;
    const habitat_operation *o = habitat_trace_operations(t, &operation_count);
    const habitat_kernel *k = habitat_trace_kernels(t, &kernel_count);
    for (size_t i = 0; i < kernel_count; i++) {
        linked += k[i].operation != HABITAT_NONE;
        const habitat_call *launch = habitat_trace_launch(t, &k[i]);
        CHECK(launch && launch->start_ns <= k[i].start_ns);
        CHECK(!k[i].in_graph && k[i].form->device == 0);
        CHECK(k[i].iteration != HABITAT_NONE);
        if (k[i].form->kind == HABITAT_KERNEL_COMPUTE)
            CHECK(k[i].form->grid[0] && k[i].form->block[0] && k[i].form->registers_per_thread);
    }
    CHECK_INT(linked, kernel_count);
    for (size_t i = 0; i < operation_count; i++)
        backward += is_node(&o[i]) && o[i].forward != HABITAT_NONE &&
                    o[o[i].forward].form->thread != o[i].form->thread &&
                    o[o[i].forward].form->kind == HABITAT_OPERATION_FRAMEWORK;
    CHECK_INT(backward, e->backward);
}

/* Sums over iterations, which hold everything that was recorded here. */
static void check_sums(const habitat_trace *t, const expected *e) {
    size_t count, kernels = 0, copies = 0;
    double kernel_ms = 0, copy_ms = 0;
    const habitat_iteration *it = habitat_trace_iterations(t, &count);
    CHECK_INT(count, e->iterations);
    for (size_t i = 0; i < count; i++) {
        kernels += it[i].kernel_count;
        copies += it[i].copy_count;
        kernel_ms += it[i].kernel_ms;
        copy_ms += it[i].copy_ms;
        CHECK(it[i].busy_ms <= it[i].kernel_ms + it[i].copy_ms + 1e-9);
        CHECK(it[i].busy_ms <= it[i].span_ms);
    }
    CHECK_INT(kernels, e->kernels);
    CHECK_INT(copies, e->copies);
    CHECK_INT(llround(kernel_ms * 1e6), e->kernel_ns);
    CHECK_INT(llround(copy_ms * 1e6), e->copy_ns);
    habitat_trace_operations(t, &count);
    CHECK_INT(count, e->operations);
}

static void check_info(const habitat_trace *t, const expected *e) {
    const habitat_trace_info *info = habitat_trace_get_info(t);
    CHECK_TEXT(info->format, "kineto");
    CHECK_TEXT(info->device_facts.name, "NVIDIA H200");
    CHECK_INT(info->device_facts.sm_count, 132);
    CHECK_INT(info->device_facts.compute_capability, 90);
    CHECK(info->has_operations && info->has_shapes && !info->has_counters);
    CHECK_INT(info->trace_unlinked_kernels, 0);
    if (e->iteration_ms > 0) {
        CHECK_NEAR(info->iteration_ms, e->iteration_ms, 0);
        CHECK(info->iteration_ms_count > 0 && info->batch_size > 0 && info->model);
    } else {
        CHECK(isnan(info->iteration_ms) && info->batch_size == 0 && !info->model);
    }
}

static void check_trace(const expected *e) {
    char path[4096];
    habitat_trace *t;
    habitat_error err = {0};
    snprintf(path, sizeof path, "%s/%s", e->place == OURS ? HABITAT_SOURCE_DIR : folder(), e->file);
    if (e->place == BESIDE && access(path, R_OK) != 0) {
        printf("# left out: %s is not there\n", path);
        return;
    }
    habitat_status status = habitat_trace_read(path, &t, &err);
    if (status != HABITAT_OK)
        printf("# %s: %s\n", err.file, err.message);
    CHECK_INT(status, HABITAT_OK);
    check_case(e->file);
    if (status != HABITAT_OK)
        return;
    check_sums(t, e);
    check_info(t, e);
    check_case("counts, sums to the nanosecond, facts");
    check_order(t);
    check_case("sorted and properly nested");
    check_links(t, e);
    check_case("every kernel has its operation, every backward operation its forward one");
    habitat_trace_free(t);
}

/* --- every recording of the repository ---------------------------------------------------------
 */

/* The whole text of a gzip file, or NULL. */
static char *load(const char *path) {
    size_t capacity = 1 << 26, size = 0;
    char *text = malloc(capacity + 1);
    gzFile file = gzopen(path, "rb");
    int got = 0;
    while (text && file && size < capacity &&
           (got = gzread(file, text + size, (unsigned)(capacity - size))) > 0)
        size += (size_t)got;
    if (file)
        gzclose(file);
    if (!text || !file || got < 0 || size == capacity) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

/* Kernels and the sum of their times, found by searching the text, an event a line: "cat":"kernel"
 * ... "dur":N. Cuts the text into its lines: a search of the whole rest from every event would take
 * the square of its length under a sanitizer. */
static void search(char *text, size_t *count, uint64_t *sum_ns) {
    *count = 0;
    *sum_ns = 0;
    for (char *line = text, *next; line; line = next) {
        char *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        if (!strstr(line, "\"cat\":\"kernel\""))
            continue;
        const char *duration = strstr(line, "\"dur\":");
        if (!duration)
            return;
        ++*count;
        *sum_ns += (uint64_t)llround(strtod(duration + strlen("\"dur\":"), NULL) * 1000);
    }
}

static void check_recording(const char *path) {
    habitat_trace *t = NULL;
    habitat_error err = {0};
    size_t count, kernels = 0, searched = 0;
    uint64_t sum_ns = 0, searched_ns = 0;
    char *text = load(path);
    CHECK(text != NULL);
    CHECK_INT(habitat_trace_read(path, &t, &err), HABITAT_OK);
    if (text && t) {
        search(text, &searched, &searched_ns);
        const habitat_kernel *k = habitat_trace_kernels(t, &count);
        for (size_t i = 0; i < count; i++) {
            bool kernel = k[i].form->kind == HABITAT_KERNEL_COMPUTE ||
                          k[i].form->kind == HABITAT_KERNEL_COLLECTIVE;
            kernels += kernel;
            sum_ns += kernel ? k[i].duration_ns : 0;
            CHECK(habitat_trace_launch(t, &k[i]) != NULL);
        }
        CHECK(kernels == searched && kernels > 0);
        CHECK(sum_ns == searched_ns);
        check_order(t);
    }
    if (check_case_failed)
        printf("# %s: %s\n", path, err.message);
    habitat_trace_free(t);
    free(text);
}

static void check_recordings(void) {
    static const char folder_of_ours[] = HABITAT_SOURCE_DIR "/data/recordings";
    DIR *directory = opendir(folder_of_ours);
    size_t count = 0;
    CHECK(directory != NULL);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char path[4096];
        size_t length = strlen(entry->d_name);
        if (length < 8 || strcmp(entry->d_name + length - 8, ".json.gz") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder_of_ours, entry->d_name);
        check_recording(path);
        count++;
    }
    if (directory)
        closedir(directory);
    CHECK(count > 0);
    printf("# %zu recordings\n", count);
    check_case("every recording: kernels and their sum as a search of its text finds them");
}

int main(void) {
    check_recordings();
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        check_trace(&table[i]);
    return check_done();
}
