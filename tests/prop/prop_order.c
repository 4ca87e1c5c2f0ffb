/* Ranking: a GPU that has at least as much of everything is not predicted slower, whatever their
 * architectures are called. Every recording of the repository, every pair of NVIDIA's GPUs.
 */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/habitat.h>

#include "check.h"
#include "dominates.h"

enum { GPUS_MAX = 512 };

typedef struct ranking {
    const habitat_gpu *gpus[GPUS_MAX];
    double busy_ms[GPUS_MAX];
    size_t count;
} ranking;

static void read_ranking(const habitat_gpu_table *table, const char *path, ranking *out) {
    habitat_trace *trace = NULL;
    habitat_workload *workload = NULL;
    const habitat_gpu *origin = NULL;
    habitat_error err = {0};
    out->count = 0;
    CHECK_INT(habitat_trace_read(path, &trace, &err), HABITAT_OK);
    CHECK_INT(habitat_gpu_match(table, &habitat_trace_get_info(trace)->device_facts, &origin, &err),
              HABITAT_OK);
    CHECK_INT(habitat_workload_create(trace, origin, &workload, &err), HABITAT_OK);
    for (size_t i = 0; i < habitat_gpu_count(table); i++) {
        const habitat_gpu *gpu = habitat_gpu_at(table, i);
        habitat_prediction *p = NULL;
        if (strcmp(gpu->vendor, "NVIDIA") != 0)
            continue;
        CHECK(out->count < GPUS_MAX); /* each GPU is judged */
        if (out->count == GPUS_MAX)
            break;
        CHECK_INT(habitat_predict(workload, gpu, HABITAT_METHOD_AUTO, &p, &err), HABITAT_OK);
        out->gpus[out->count] = gpu;
        out->busy_ms[out->count++] = p->busy_ms;
        habitat_prediction_free(p);
    }
    habitat_workload_free(workload);
    habitat_trace_free(trace);
}

static size_t pairs, inverted;

static void check_ranking(const ranking *r, const char *name) {
    for (size_t a = 0; a < r->count; a++)
        for (size_t b = 0; b < r->count; b++) {
            if (!dominates(r->gpus[a], r->gpus[b]))
                continue;
            pairs++;
            if (r->busy_ms[a] <= 1.02 * r->busy_ms[b])
                continue;
            inverted++;
            printf("# %s: %s %.4g ms, %s %.4g ms\n", name, r->gpus[a]->name, r->busy_ms[a],
                   r->gpus[b]->name, r->busy_ms[b]);
        }
}

int main(void) {
    const char folder[] = HABITAT_SOURCE_DIR "/data/recordings";
    habitat_gpu_table *table = NULL;
    habitat_error err = {0};
    static ranking r;
    size_t recordings = 0;
    CHECK_INT(habitat_gpu_table_create(NULL, &table, &err), HABITAT_OK);
    DIR *dir = opendir(folder);
    CHECK(dir != NULL);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[4096];
        if (!strstr(entry->d_name, ".json"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        read_ranking(table, path, &r);
        check_ranking(&r, entry->d_name);
        recordings++;
    }
    if (dir)
        closedir(dir);
    habitat_gpu_table_free(table);
    printf("# %zu recordings, %zu pairs\n", recordings, pairs);
    CHECK(recordings > 100 && pairs > 50000);
    CHECK(inverted == 0);
    check_case("a GPU with at least as much of everything is not slower by more than 2 %");
    return check_done();
}
