/* `habitat eval suite`: ratios of throughput between GPUs, measured with one benchmark suite and
 * software, against predictions from one recording of the same model. Batch sizes differ from GPU
 * to GPU there: the recording is scaled to each (habitat_workload_scale). */
#include "eval_suite.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "eval.h"

/* One GPU in one suite, model and number format. */
typedef struct entry {
    char suite[64], model[48], dtype[16];
    const habitat_gpu *gpu;
    double measured, predicted; /* samples per second */
    double slowest;             /* of several hosts; the same as measured where there is one */
    int hosts;
    double batch;
    double recorded_batch;
} entry;

typedef struct entries {
    entry *items;
    size_t count;
} entries;

/* ---- measurements ---- */

/* "v1 A6000_v1 torch 1.13.0" is suite v1 of torch 1.13.0: one software, whatever the host. */
static void suite_of(const char *text, char *out, size_t size) {
    const char *blank = strchr(text, ' '), *last = strrchr(text, ' ');
    snprintf(out, size, "%.*s%s", blank ? (int)(blank - text) : (int)strlen(text), text,
             last ? last : "");
}

static bool wanted(const habitat_csv_reader *table, const char *source) {
    const char *from = habitat_csv_text(table, "source"), *flag = habitat_csv_text(table, "flag");
    const char *model = habitat_csv_text(table, "model");
    return from && model && strcmp(from, source) == 0 && !(flag && *flag) &&
           (strncmp(model, "resnet50", 8) == 0 || strncmp(model, "bert", 4) == 0) &&
           habitat_csv_number(table, "num_gpus") == 1 &&
           habitat_csv_number(table, "throughput") > 0 &&
           habitat_csv_number(table, "global_batch") > 0;
}

static bool same_group(const entry *a, const entry *b) {
    return strcmp(a->suite, b->suite) == 0 && strcmp(a->model, b->model) == 0 &&
           strcmp(a->dtype, b->dtype) == 0;
}

static void keep_fastest(entry *kept, const entry *made) {
    double slowest = fmin(kept->slowest, made->slowest);
    int hosts = kept->hosts + 1;
    if (made->measured > kept->measured)
        *kept = *made;
    kept->slowest = slowest;
    kept->hosts = hosts;
}

/* Of several hosts with one GPU the fastest counts: a host can only hold a GPU back. */
static int add(entries *all, const entry *made) {
    for (size_t i = 0; i < all->count; i++)
        if (same_group(&all->items[i], made) && all->items[i].gpu == made->gpu) {
            keep_fastest(&all->items[i], made);
            return CLI_DONE;
        }
    entry *grown = realloc(all->items, (all->count + 1) * sizeof *grown);
    if (!grown)
        return cli_fail(CLI_FAILED, NULL, "out of memory");
    grown[all->count++] = *made;
    all->items = grown;
    return CLI_DONE;
}

static int read_row(const habitat_csv_reader *table, const habitat_gpu_table *gpus,
                    const char *file, entries *out) {
    habitat_error error = {0};
    entry made = {.measured = habitat_csv_number(table, "throughput"),
                  .predicted = NAN,
                  .hosts = 1,
                  .batch = habitat_csv_number(table, "global_batch")};
    const char *suite = habitat_csv_text(table, "suite"), *dtype = habitat_csv_text(table, "dtype");
    made.slowest = made.measured;
    suite_of(suite ? suite : "", made.suite, sizeof made.suite);
    snprintf(made.model, sizeof made.model, "%s", habitat_csv_text(table, "model"));
    snprintf(made.dtype, sizeof made.dtype, "%s", dtype ? dtype : "");
    if (habitat_gpu_find(gpus, habitat_csv_text(table, "gpu"), &made.gpu, NULL, &error) !=
        HABITAT_OK)
        return cli_fail_error(&error, file);
    return add(out, &made);
}

static int read_measured(const habitat_gpu_table *gpus, const char *source, const char *file,
                         entries *out) {
    habitat_csv_reader *table = NULL;
    habitat_error error = {0};
    const char *record = NULL;
    int code = CLI_DONE;
    habitat_status status = habitat_csv_open(file, &table, &error);
    while (code == CLI_DONE && status == HABITAT_OK &&
           (status = habitat_csv_next(table, &record, &error)) == HABITAT_OK && record)
        if (wanted(table, source))
            code = read_row(table, gpus, file, out);
    if (status != HABITAT_OK)
        code = cli_fail_row(&error, file);
    habitat_csv_close(table);
    if (code == CLI_DONE && out->count == 0)
        code = cli_fail(CLI_INPUT, file,
                        "no throughput of ResNet-50 or BERT on one GPU from the suite %s; name the "
                        "folder that has it with --data",
                        source);
    return code;
}

/* ---- recordings ---- */

/* fp32 of these suites is TF32 where the GPU has it. */
static const char *format_of(const entry *e) {
    bool half = strstr(e->dtype, "fp16") != NULL;
    bool tf32 =
        isfinite(habitat_gpu_rate(e->gpu, HABITAT_RATE_PEAK, HABITAT_DTYPE_TF32, true, NULL));
    return half ? "amp_fp16" : tf32 ? "tf32" : "fp32";
}

/* The recording of the largest batch: "resnet50_b64_tf32_h200.json.gz" for ResNet-50 in TF32. */
static double find_recording(const char *folder, const entry *e, char *out, size_t size) {
    DIR *dir = opendir(folder);
    double largest = 0.0;
    size_t family = strcspn(e->model, "_");
    for (struct dirent *found; dir && (found = readdir(dir));) {
        const char *name = found->d_name;
        if (strncmp(name, e->model, family) != 0 || strncmp(name + family, "_b", 2) != 0)
            continue;
        char *end = NULL;
        long batch = strtol(name + family + 2, &end, 10);
        char rest[64];
        snprintf(rest, sizeof rest, "_%s_h200.json.gz", format_of(e));
        if (strcmp(end, rest) != 0 || !((double)batch > largest))
            continue;
        largest = (double)batch;
        snprintf(out, size, "%s/%s", folder, name);
    }
    if (dir)
        closedir(dir);
    return largest;
}

/* Kernel time of a step of the entry's batch size on its GPU, as samples per second. */
static habitat_status predict_one(const habitat_workload *recorded, entry *e, habitat_error *err) {
    habitat_scale scale = {.batch_size = (uint64_t)e->batch};
    habitat_workload *w = NULL;
    habitat_prediction *p = NULL;
    habitat_status status = habitat_workload_scale(recorded, &scale, NULL, &w, err);
    if (status == HABITAT_OK)
        status = habitat_predict(w, e->gpu, HABITAT_METHOD_AUTO, &p, err);
    if (status == HABITAT_OK)
        e->predicted = 1e3 * e->batch / p->busy_ms;
    habitat_prediction_free(p);
    habitat_workload_free(w);
    return status;
}

/* Every entry that this recording stands for. */
static int predict_all(const habitat_gpu_table *gpus, const char *folder, const char *path,
                       entries *all) {
    habitat_trace *trace = NULL;
    habitat_workload *w = NULL;
    const habitat_gpu *origin = NULL;
    habitat_error error = {0};
    habitat_status status = habitat_trace_read(path, &trace, &error);
    if (status == HABITAT_OK)
        status =
            habitat_gpu_match(gpus, &habitat_trace_get_info(trace)->device_facts, &origin, &error);
    if (status == HABITAT_OK)
        status = habitat_workload_create(trace, origin, &w, &error);
    for (size_t i = 0; status == HABITAT_OK && i < all->count; i++) {
        entry *e = &all->items[i];
        char own[4096] = "";
        double batch = find_recording(folder, e, own, sizeof own);
        if (strcmp(own, path) != 0)
            continue;
        e->recorded_batch = batch;
        status = predict_one(w, e, &error);
    }
    habitat_workload_free(w);
    habitat_trace_free(trace);
    return status == HABITAT_OK ? CLI_DONE : cli_fail_error(&error, path);
}

static int predict_entries(const habitat_gpu_table *gpus, const char *folder, entries *all) {
    int code = CLI_DONE;
    for (size_t i = 0; code == CLI_DONE && i < all->count; i++) {
        char path[4096] = "";
        if (!isnan(all->items[i].predicted))
            continue;
        if (find_recording(folder, &all->items[i], path, sizeof path) > 0.0)
            code = predict_all(gpus, folder, path, all);
        else
            code = cli_fail(CLI_INPUT, folder,
                            "no recording stands for %s in %s; it is named "
                            "model_bBATCH_format_h200.json.gz",
                            all->items[i].model, format_of(&all->items[i]));
    }
    return code;
}

/* ---- pairs ---- */

/* Of two measured rates, the faster over the slower: below it their order is not asked. */
static const double least_ratio = 1.10;

typedef struct summary {
    size_t pairs, ordered, right;
    double mean, worst;
} summary;

/* Faster over slower, as measured; its error as a share. */
static double ratio_error(const entry *a, const entry *b) {
    double measured = a->measured / b->measured, predicted = a->predicted / b->predicted;
    return measured >= 1.0 ? predicted / measured - 1.0 : measured / predicted - 1.0;
}

static bool chosen(const entry *e, const char *family, const char *format, double least_batch) {
    return e->batch >= least_batch && (!family || strncmp(e->model, family, strlen(family)) == 0) &&
           (!format || (strcmp(format, "fp16") == 0) == (strstr(e->dtype, "fp16") != NULL));
}

static summary summarise(const entries *all, const char *family, const char *format,
                         double least_batch) {
    summary s = {0};
    for (size_t i = 0; i < all->count; i++)
        for (size_t j = i + 1; j < all->count; j++) {
            const entry *a = &all->items[i], *b = &all->items[j];
            if (!same_group(a, b) || !chosen(a, family, format, least_batch) ||
                !chosen(b, family, format, least_batch))
                continue;
            double error = fabs(ratio_error(a, b));
            double measured = fmax(a->measured / b->measured, b->measured / a->measured);
            s.pairs++;
            s.mean += error;
            s.worst = fmax(s.worst, error);
            if (measured < least_ratio)
                continue;
            s.ordered++;
            s.right += (a->measured > b->measured) == (a->predicted > b->predicted);
        }
    s.mean /= s.pairs ? (double)s.pairs : 1.0;
    return s;
}

static void print_row(const entries *all, const char *title, const char *family, const char *format,
                      double least_batch) {
    summary s = summarise(all, family, format, least_batch);
    if (s.pairs)
        cli_print("| %s | %zu | %.1f | %.1f | %zu of %zu (%.1f %%) |\n", title, s.pairs,
                  100 * s.mean, 100 * s.worst, s.right, s.ordered,
                  s.ordered ? 100.0 * (double)s.right / (double)s.ordered : 100.0);
}

/* Predicted over measured of each GPU, against the mean of its group: what a ratio is off by. */
static void print_groups(const entries *all) {
    printf("\nEach GPU's predicted over measured rate, against its group's mean (%%):\n\n"
           "| suite | model | format | GPUs |\n|---|---|---|---|\n");
    for (size_t i = 0; i < all->count; i++) {
        const entry *first = &all->items[i];
        bool seen = false;
        double mean = 0.0, count = 0.0;
        for (size_t j = 0; j < all->count; j++)
            if (same_group(first, &all->items[j])) {
                seen = seen || j < i;
                mean += log(all->items[j].predicted / all->items[j].measured);
                count += 1.0;
            }
        if (seen || count < 2.0)
            continue;
        printf("| %s | %s | %s |", first->suite, first->model, first->dtype);
        for (size_t j = i; j < all->count; j++)
            if (same_group(first, &all->items[j]))
                cli_print(
                    " %s %+.0f", habitat_gpu_name(all->items[j].gpu),
                    100 * (all->items[j].predicted / all->items[j].measured / exp(mean / count) -
                           1.0));
        printf(" |\n");
    }
}

/* ---- how far the measurements themselves differ ---- */

/* Pairs of GPUs with two measured ratios: sums over them. */
typedef struct twice {
    size_t pairs;
    double apart, worst; /* logarithms of the quotient of two measured ratios */
    double predicted;    /* errors of the predictions on these rows */
} twice;

/* The same GPU, model and format in another version of the suite. */
static const entry *in_version(const entries *all, const entry *e, const char *suite) {
    for (const entry *other = all->items; other < all->items + all->count; other++)
        if (other->gpu == e->gpu && strcmp(other->suite, suite) == 0 &&
            strcmp(other->model, e->model) == 0 && strcmp(other->dtype, e->dtype) == 0)
            return other;
    return NULL;
}

static void add_twice(twice *sum, const entry *const first[2], const entry *const second[2]) {
    double one = first[0]->measured / first[1]->measured;
    double other = second[0]->measured / second[1]->measured;
    double apart = fabs(log(one / other));
    sum->pairs++;
    sum->apart += apart;
    sum->worst = fmax(sum->worst, apart);
    sum->predicted +=
        fabs(ratio_error(first[0], first[1])) + fabs(ratio_error(second[0], second[1]));
}

/* One pair in every later version that has both of its GPUs. */
static void add_versions(twice *sum, const entries *all, const entry *a, const entry *b) {
    for (const entry *again = all->items; again < all->items + all->count; again++) {
        const char *suite = again->suite;
        if (strcmp(a->suite, suite) >= 0 || in_version(all, a, suite) != again)
            continue;
        const entry *b_again = in_version(all, b, suite);
        if (b_again)
            add_twice(sum, (const entry *[]){a, b}, (const entry *[]){again, b_again});
    }
}

static twice measured_twice(const entries *all) {
    twice sum = {0};
    for (const entry *a = all->items; a < all->items + all->count; a++)
        for (const entry *b = a + 1; b < all->items + all->count; b++)
            if (same_group(a, b))
                add_versions(&sum, all, a, b);
    return sum;
}

static void print_hosts(const entries *all) {
    size_t several = 0;
    double sum = 0.0, worst = 0.0;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].hosts > 1) {
            double below = 1.0 - all->items[i].slowest / all->items[i].measured;
            several++;
            sum += below;
            worst = fmax(worst, below);
        }
    if (several)
        cli_print(
            "Rows of GPUs that ran on several hosts within one version: %zu. The slowest host "
            "is %.1f %% below the fastest on average (worst %.1f %%).\n",
            several, 100 * sum / (double)several, 100 * worst);
}

static void print_floor(const entries *all) {
    twice t = measured_twice(all);
    if (!t.pairs)
        return;
    double pairs = (double)t.pairs, apart = t.apart / pairs;
    cli_print("\n**How far the measurements themselves differ.** Pairs of GPUs with one model and "
              "format in two versions of the suite (other software and batch\n"
              "sizes, sometimes another host): %zu. Their two measured ratios are %.1f %% apart on "
              "average (worst %.1f %%). A prediction halfway between both would\n"
              "be off by %.1f %%: less is not to be had on these rows by what knows nothing of "
              "versions. The predictions above are off by %.1f %% on them.\n",
              t.pairs, 100 * expm1(apart), 100 * expm1(t.worst), 100 * expm1(apart / 2.0),
              100 * t.predicted / (2.0 * pairs));
    print_hosts(all);
}

static void print_tables(const entries *all, const char *source) {
    printf("## Throughput of one suite (%s)\n\n"
           "Training throughput that others measured with one software on one GPU each; how far "
           "is the predicted ratio of two GPUs off? ResNet-50\n"
           "and BERT, fp32 (TF32 where the GPU has it) and 16 bit, from the H200 recording of the "
           "largest batch, scaled to the batch that each\n"
           "GPU ran (as `predict --batch` does). The measured side includes the data pipeline; of "
           "several hosts the fastest counts.\n"
           "None of these rates was fitted to; they told where to look for others "
           "(docs/decisions/0244).\n\n"
           "| what | pairs | mean error %% | worst %% | faster of two right, where more than 10 %% "
           "apart |\n|---|--:|--:|--:|--:|\n",
           source);
    print_row(all, "ResNet-50, fp32", "resnet50", "fp32", 0);
    print_row(all, "ResNet-50, 16 bit", "resnet50", "fp16", 0);
    print_row(all, "BERT, fp32", "bert", "fp32", 0);
    print_row(all, "BERT, 16 bit", "bert", "fp16", 0);
    print_row(all, "all", NULL, NULL, 0);
    print_row(all, "those of them that ran batches of 64 or more", NULL, NULL, 64);
    print_floor(all);
    print_groups(all);
}

static void print_csv(const entries *all) {
    printf("suite,model,dtype,gpu,batch,recorded_batch,measured_per_s,predicted_per_s\n");
    for (size_t i = 0; i < all->count; i++) {
        const entry *e = &all->items[i];
        cli_print("%s,%s,%s,%s,%.0f,%.0f,%.6g,%.6g\n", e->suite, e->model, e->dtype,
                  habitat_gpu_name(e->gpu), e->batch, e->recorded_batch, e->measured, e->predicted);
    }
}

int eval_suite(int argc, char **argv) {
    eval_setup s;
    entries all = {0};
    char path[4096];
    int code = eval_open(&s, argc, argv, NULL, 0, 1);
    const char *source = s.arguments.operands.count ? s.arguments.operands.items[0] : "lambda";
    if (s.gpus) {
        snprintf(path, sizeof path, "%s/e2e_models.csv", s.measurements);
        code = read_measured(s.gpus, source, path, &all);
        if (code == CLI_DONE)
            code = predict_entries(s.gpus, s.recordings, &all);
        if (code == CLI_DONE && s.csv)
            print_csv(&all);
        else if (code == CLI_DONE)
            print_tables(&all, source);
    }
    free(all.items);
    eval_close(&s);
    return code;
}
