/* Measured steps on several GPUs and the recordings that they belong to: rows of the repository,
 * and rows that are refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <habitat/habitat.h>

#include "check.h"
#include "lab/ddp.h"

static const ddp_case *find(const ddp_set *set, const char *name, unsigned gpus) {
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->cases[i].name, name) == 0 && set->cases[i].gpus == gpus)
            return &set->cases[i];
    return NULL;
}

static void test_repository(const habitat_gpu_table *table) {
    ddp_result r = {0};
    habitat_error err = {0};
    CHECK_INT(ddp_collect(table, HABITAT_SOURCE_DIR "/data/recordings", &r, &err), HABITAT_OK);
    CHECK_INT(r.unseen.count, 36); /* 18 steps on two and four GPUs; one GPU is no case */
    CHECK_INT(r.seen.count, 10);
    CHECK_INT(r.one_host.count, 16);
    const ddp_case *vit = find(&r.unseen, "vit_b64_amp_bf16_h200", 2);
    const ddp_case *big = find(&r.unseen, "llama_b4_bf16_h200", 4);
    const ddp_case *own = find(&r.seen, "vit_b64_tf32_h200", 2);
    const ddp_case *host = find(&r.one_host, "bert_large_b8_tf32_h100", 2);
    CHECK(vit && big && own && host);
    if (vit && big && own && host) {
        CHECK_NEAR(host->measured_ms, 103.1915, 1e-12);
        CHECK_NEAR(host->predicted_ms, host->measured_ms, 0.05 * host->measured_ms);
        CHECK_NEAR(vit->spread, (40.9799 - 35.1330) / 37.8017, 1e-12);
        CHECK_NEAR(vit->measured_one_ms, 25.7461, 1e-12);
        CHECK(!vit->has_ranks && own->has_ranks && isnan(own->measured_one_ms));
        CHECK(big->predicted_ms > big->one_ms && big->exposed_ms < big->communication_ms);
        CHECK_NEAR(big->predicted_ms - big->one_ms, big->measured_ms - big->measured_one_ms, 0.05);
    }
    ddp_free(&r);
    CHECK_INT(ddp_collect(table, "/nowhere", &r, &err), HABITAT_E_IO);
    ddp_free(&r);
    check_case("steps of the repository");
}

/* A row's recording becomes a path: it must be a plain name. */
static void test_names(const habitat_gpu_table *table) {
    char too_long[2 * RECORDING_NAME];
    memset(too_long, 'x', sizeof too_long - 1);
    too_long[sizeof too_long - 1] = '\0';
    const char *const names[] = {"", "../x", "a/b", too_long};
    char folder[] = "/tmp/habitat-ddp-XXXXXX", own[64], path[96];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(own, sizeof own, "%s/two_gpus", folder);
    snprintf(path, sizeof path, "%s/measured_ddp.csv", own);
    CHECK_INT(mkdir(own, 0700), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ddp_result r = {0};
        habitat_error err = {0};
        FILE *file = fopen(path, "w");
        CHECK(file != NULL);
        if (!file)
            break;
        fprintf(file, "gpu,gpus,iteration_ms,group_ms,recording\nT4,2,1.5,1.4 1.6,%s\n", names[i]);
        (void)fclose(file);
        CHECK_INT(ddp_collect(table, folder, &r, &err), HABITAT_E_RANGE);
        CHECK(strstr(err.message, "without the name of a recording") != NULL);
        CHECK_INT(r.seen.count, 0);
        ddp_free(&r);
    }
    (void)unlink(path);
    (void)rmdir(own);
    (void)rmdir(folder);
    check_case("names that are no names");
}

int main(void) {
    habitat_gpu_table *table = NULL;
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    test_repository(table);
    test_names(table);
    habitat_gpu_table_free(table);
    return check_done();
}
