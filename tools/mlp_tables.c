/* Tables of docs/mlp.md: what stands behind the paper's networks, how far off they are, and the
 * paper's study of depth and width. A developer's tool over private headers; users have
 * `habitat train` and `habitat eval`.
 *
 * usage: mlp_tables rows|errors|study|quick DATA.csv.gz...
 *        mlp_tables train OUT.habitat-models DATA.csv.gz...
 * Environment of study: STUDY_LAYERS, STUDY_WIDTHS (comma-separated), STUDY_ROWS (of a GPU),
 * STUDY_EPOCHS, STUDY_PARAMETERS (networks of more are not run; of a quarter of that for LSTM,
 * whose batches are small), STUDY_FIRST (number of the operation to start with, 0 to 3). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lab/train_paper.h"

enum { ALL_ROWS = 1000000000, GPUS_MAX = 64 };

static int fail(const habitat_error *err) {
    fprintf(stderr, "mlp_tables: %s: %s\n", err->file, err->message);
    return 1;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

/* ---- errors of one network on rows ---- */

typedef struct judged {
    double mean, median,
        worst_tenth; /* absolute percentage errors; nine tenths lie below the last */
    size_t n;
} judged;

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Rows of GPU g (SIZE_MAX = any) and, with `options`, of its validation shapes only. */
static judged judge(const perceptron *net, const paper_rows *rows, size_t g,
                    const perceptron_options *options) {
    judged result = {NAN, NAN, NAN, 0};
    double *logs = malloc((rows->n + 1) * sizeof *logs), sum = 0;
    float *scratch = malloc(perceptron_scratch(net) * sizeof *scratch);
    if (!logs || !scratch)
        exit(1);
    perceptron_predict_rows(net, rows->x, rows->n, logs, scratch);
    for (size_t i = 0; i < rows->n; i++) {
        if ((g != SIZE_MAX && rows->gpu[i] != g) ||
            (options && !perceptron_validates(rows->hash[i], options)))
            continue;
        double error = 100 * fabs(exp(logs[i]) / (double)rows->time_ms[i] - 1);
        logs[result.n++] = error;
        sum += error;
    }
    if (result.n) {
        qsort(logs, result.n, sizeof *logs, compare_doubles);
        result.mean = sum / (double)result.n;
        result.median = logs[result.n / 2];
        result.worst_tenth = logs[result.n * 9 / 10];
    }
    free(logs);
    free(scratch);
    return result;
}

/* ---- tables ---- */

static const char *class_title(int c) {
    static const char *const titles[] = {"conv2d", "linear", "bmm", "LSTM"};
    return titles[c];
}

static bool gather(const habitat_dataset *data, const habitat_gpu_table *gpus, int c,
                   paper_split split, size_t per_gpu, paper_rows *out, habitat_error *err) {
    return paper_gather(data, gpus, (paper_class)c, split, per_gpu, 0, out, err) == HABITAT_OK;
}

static int print_rows(const habitat_dataset *data, const habitat_gpu_table *gpus,
                      habitat_error *err) {
    printf("| operation | GPU | source | rows | forward | gradient of input | of weight | all "
           "gradients |\n|---|---|---|---:|---:|---:|---:|---:|\n");
    for (int c = 0; c < PAPER_CLASSES; c++) {
        size_t count;
        const habitat_measurement *rows = habitat_dataset_rows(data, &count);
        paper_rows p;
        if (!gather(data, gpus, c, PAPER_ALL, ALL_ROWS, &p, err))
            return fail(err);
        for (size_t g = 0; g < p.gpu_count; g++) {
            const char *sources[16];
            size_t source_count = 0;
            for (size_t i = 0; i < p.n; i++) {
                size_t k = 0;
                while (k < source_count && sources[k] != p.sources[i])
                    k++;
                if (p.gpu[i] == g && k == source_count && k < 16)
                    sources[source_count++] = p.sources[i];
            }
            for (size_t k = 0; k < source_count; k++) {
                size_t total = 0, passes[5] = {0};
                for (size_t i = 0; i < p.n; i++)
                    total += p.gpu[i] == g && p.sources[i] == sources[k];
                for (size_t i = 0; i < count; i++) {
                    habitat_model_query query = {.work = &rows[i].work,
                                                 .arithmetic = rows[i].arithmetic};
                    bool transposed = rows[i].work.op_class == HABITAT_CLASS_CONV &&
                                      rows[i].work.shape.conv.transposed;
                    if (rows[i].gpu == p.gpus[g] && rows[i].source == sources[k] &&
                        !rows[i].suspect && !transposed && paper_class_of(&query) == (paper_class)c)
                        passes[rows[i].work.pass]++;
                }
                printf("| %s | %s | %s | %zu | %zu | %zu | %zu | %zu |\n", class_title(c),
                       p.gpus[g], sources[k], total, passes[HABITAT_PASS_FORWARD],
                       passes[HABITAT_PASS_BACKWARD_INPUT], passes[HABITAT_PASS_BACKWARD_WEIGHT],
                       passes[HABITAT_PASS_BACKWARD]);
            }
        }
        paper_rows_free(&p);
    }
    return 0;
}

/* One network on the rows of all GPUs but `out` (SIZE_MAX: of all). */
static bool train_without(const paper_rows *rows, size_t out, const perceptron_options *options,
                          perceptron *net, double *loss, habitat_error *err) {
    bool keep[GPUS_MAX];
    for (size_t g = 0; g < GPUS_MAX; g++)
        keep[g] = g != out;
    paper_rows kept;
    if (paper_select(rows, keep, &kept, err) != HABITAT_OK)
        return false;
    perceptron_samples samples = paper_samples(&kept);
    habitat_status status = perceptron_train(&samples, options, net, loss, err);
    paper_rows_free(&kept);
    return status == HABITAT_OK;
}

/* Index in `rows` of a GPU of another set. */
static size_t same_gpu(const paper_rows *rows, const char *name) {
    for (size_t g = 0; g < rows->gpu_count; g++)
        if (strcmp(rows->gpus[g], name) == 0)
            return g;
    return SIZE_MAX;
}

static void print_judged(judged j) {
    if (j.n)
        printf(" %.1f | %.1f | %.0f |", j.mean, j.median, j.worst_tenth);
    else
        printf(" | | |");
}

static int print_errors(const habitat_dataset *data, const habitat_gpu_table *gpus, bool quick,
                        habitat_error *err) {
    const habitat_train_options defaults = {0};
    printf("| operation | GPU | rows judged | seen: mean | median | 90 %% below | left out: mean | "
           "median | 90 %% below |\n|---|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for (int c = 0; c < PAPER_CLASSES; c++) {
        perceptron_options options = paper_options((paper_class)c, &defaults);
        paper_rows train, test;
        if (!gather(data, gpus, c, PAPER_TRAIN, quick ? 1500 : 6000, &train, err) ||
            !gather(data, gpus, c, PAPER_TEST, ALL_ROWS, &test, err))
            return fail(err);
        if (quick)
            options.epochs /= 3;
        double start = seconds(), loss = NAN;
        perceptron net = {0};
        if (train.n && !train_without(&train, SIZE_MAX, &options, &net, &loss, err))
            return fail(err);
        fprintf(stderr, "%s: %zu rows, %.1f s, validation %.2f %%\n", class_title(c), train.n,
                seconds() - start, 100 * loss);
        options.epochs = options.epochs > 3 ? options.epochs / 3 : 1;
        double sums[2] = {0};
        size_t counted = 0;
        for (size_t g = 0; g < test.gpu_count; g++) {
            judged seen = judge(&net, &test, g, NULL), unseen = {NAN, NAN, NAN, 0};
            perceptron other = {0};
            size_t place = same_gpu(&train, test.gpus[g]);
            if (!quick) {
                if (!train_without(&train, place, &options, &other, NULL, err))
                    return fail(err);
                unseen = judge(&other, &test, g, NULL);
                perceptron_free(&other);
            }
            printf("| %s | %s | %zu |", class_title(c), test.gpus[g], seen.n);
            if (place == SIZE_MAX) /* all of its training rows are suspect */
                printf(" not trained on | | |");
            else
                print_judged(seen);
            print_judged(unseen);
            printf("\n");
            fflush(stdout);
            if (place == SIZE_MAX)
                continue;
            sums[0] += seen.mean;
            sums[1] += unseen.mean;
            counted++;
        }
        printf("| **%s** | mean of GPUs trained on | %zu | **%.1f** | | | **%.1f** | | |\n",
               class_title(c), test.n, sums[0] / (double)counted, sums[1] / (double)counted);
        perceptron_free(&net);
        paper_rows_free(&train);
        paper_rows_free(&test);
    }
    return 0;
}

/* ---- depth and width ---- */

static size_t numbers_of(const char *variable, const char *otherwise, uint32_t *out, size_t most) {
    const char *text = getenv(variable);
    size_t count = 0;
    for (const char *at = text ? text : otherwise; *at && count < most;) {
        char *end;
        out[count++] = (uint32_t)strtoul(at, &end, 10);
        at = *end == ',' ? end + 1 : end + strlen(end);
    }
    return count;
}

static int print_study(const habitat_dataset *data, const habitat_gpu_table *gpus,
                       habitat_error *err) {
    const habitat_train_options defaults = {0};
    uint32_t layers[16], widths[16], rows_most, epochs, parameters_most, first;
    size_t layer_count = numbers_of("STUDY_LAYERS", "2,3,4,5,6,7,8", layers, 16);
    size_t width_count = numbers_of("STUDY_WIDTHS", "32,64,128,256,512,1024,2048", widths, 16);
    numbers_of("STUDY_ROWS", "300", &rows_most, 1);
    numbers_of("STUDY_EPOCHS", "20", &epochs, 1);
    numbers_of("STUDY_PARAMETERS", "2200000", &parameters_most, 1);
    numbers_of("STUDY_FIRST", "0", &first, 1);
    for (int c = (int)first; c < PAPER_CLASSES; c++) {
        size_t most = c == PAPER_LSTM ? parameters_most / 4 : parameters_most;
        paper_rows train;
        if (!gather(data, gpus, c, PAPER_TRAIN, rows_most, &train, err))
            return fail(err);
        printf("\n%s, %zu rows\n\n| layers |", class_title(c), train.n);
        for (size_t w = 0; w < width_count; w++)
            printf(" %u wide |", widths[w]);
        printf("\n|---:|");
        for (size_t w = 0; w < width_count; w++)
            printf("---:|");
        printf("\n");
        for (size_t l = 0; l < layer_count; l++) {
            printf("| %u |", layers[l]);
            for (size_t w = 0; w < width_count; w++) {
                perceptron_options options = paper_options((paper_class)c, &defaults);
                options.layers = layers[l];
                options.width = widths[w];
                options.epochs = c == PAPER_LSTM ? 5 * epochs : epochs;
                options.batch = c == PAPER_LSTM ? 32 : 64; /* few rows: more steps */
                options.validation_share = 0.2;
                perceptron net = {.inputs = (uint32_t)train.inputs,
                                  .layers = options.layers,
                                  .width = options.width};
                if (perceptron_parameter_count(&net) > most) {
                    printf(" not run |");
                    continue;
                }
                double loss = NAN, start = cpu_seconds();
                if (!train_without(&train, SIZE_MAX, &options, &net, &loss, err))
                    return fail(err);
                perceptron_free(&net);
                printf(" %.1f |", 100 * loss);
                fflush(stdout);
                fprintf(stderr, "%s %u x %u: %.1f %%, %.1f s\n", class_title(c), layers[l],
                        widths[w], 100 * loss, cpu_seconds() - start);
            }
            printf("\n");
        }
        paper_rows_free(&train);
    }
    return 0;
}

static int train_all(const habitat_dataset *data, const habitat_gpu_table *gpus, const char *path,
                     habitat_error *err) {
    const habitat_train_options options = {.all_rows = true};
    habitat_models *models = learned_create(PAPER_CLASSES);
    if (!models)
        return 1;
    models->count = 0;
    for (int c = 0; c < PAPER_CLASSES; c++) {
        bool trained = false;
        double start = cpu_seconds();
        if (train_paper(data, gpus, &options, (paper_class)c, &models->models[models->count],
                        &trained, err) != HABITAT_OK)
            return fail(err);
        const operator_model *m = &models->models[models->count];
        if (trained)
            fprintf(stderr,
                    "%s: %llu rows, %u GPUs, %.0f s of CPU, 80 %% interval %.2f..%.2f, "
                    "unseen GPU %.2f..%.2f\n",
                    class_title(c), (unsigned long long)m->training_rows, m->gpu_count,
                    cpu_seconds() - start, exp((double)m->low), exp((double)m->high),
                    exp((double)m->low_estimated), exp((double)m->high_estimated));
        models->count += trained;
    }
    if (habitat_models_save(models, path, err) != HABITAT_OK)
        return fail(err);
    habitat_models_free(models);
    return 0;
}

int main(int argc, char **argv) {
    habitat_error err = {0};
    bool train = argc > 1 && strcmp(argv[1], "train") == 0;
    int first = train ? 3 : 2;
    if (argc <= first) {
        fprintf(stderr, "usage: mlp_tables rows|errors|quick|study DATA..\n"
                        "       mlp_tables train OUT DATA..\n");
        return 2;
    }
    habitat_gpu_table *gpus;
    habitat_dataset *data;
    if (habitat_gpu_table_create(NULL, &gpus, &err) != HABITAT_OK ||
        habitat_dataset_create(gpus, &data, &err) != HABITAT_OK)
        return fail(&err);
    for (int i = first; i < argc; i++)
        if (habitat_dataset_add(data, argv[i], &err) != HABITAT_OK)
            return fail(&err);
    if (habitat_dataset_check(data, &err) != HABITAT_OK)
        return fail(&err);
    int code = train                            ? train_all(data, gpus, argv[2], &err)
               : strcmp(argv[1], "rows") == 0   ? print_rows(data, gpus, &err)
               : strcmp(argv[1], "errors") == 0 ? print_errors(data, gpus, false, &err)
               : strcmp(argv[1], "quick") == 0  ? print_errors(data, gpus, true, &err)
               : strcmp(argv[1], "study") == 0  ? print_study(data, gpus, &err)
                                                : 2;
    habitat_dataset_free(data);
    habitat_gpu_table_free(gpus);
    return code;
}
