/* The published per-class metric: times of one class summed over a whole network, error of the sum.
 *
 * Input are operator lists of one layer (e2e_ops/GPU__MODEL-MODE-SEQ-BATCH.csv.gz); nodes of the
 * layer count as often as the network has layers. Forward, backward and accumulation together. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "lab/evaluate_networks.h"
#include "lab/train_rates.h"
#include "question/tensors.h"

typedef enum node_class {
    NODE_BMM,
    NODE_FC,
    NODE_EW,
    NODE_SOFTMAX,
    NODE_LN,
    NODE_CLASSES,
    NODE_NONE
} node_class;
static const char *const node_titles[NODE_CLASSES] = {"BMM", "FC", "EW", "Softmax", "LN"};

/* Published in-distribution errors [%], ASPLOS'25 artefact: published_baselines.csv, table perop.
 */
static const struct {
    const char *method;
    double error[NODE_CLASSES];
} published[] = {{"Roofline", {55.36, 32.96, 30.06, 26.12, 54.97}},
                 {"Habitat (re-implemented there)", {18.8, 16.84, 69.68, 58.19, 60.67}},
                 {"Li et al.", {25.56, 44.78, 10.55, 32.5, 18.63}},
                 {"NeuSight", {25.96, 20.04, 13.98, 19.3, 20.05}}};

enum { TENSORS_MAX = 4, QUERIES_MAX = 6 };

/* None where the cell is no list of sizes. */
static size_t read_tensors(const char *text, tensor *out) {
    size_t count = text ? tensors_read(text, out, TENSORS_MAX) : SIZE_MAX;
    return count == SIZE_MAX ? 0 : count < TENSORS_MAX ? count : TENSORS_MAX;
}

static double last(const tensor *t) {
    return t->size[t->rank - 1];
}

static bool has(const char *text, const char *part) {
    return text && strstr(text, part);
}

/* What one node asks the models, each time with its factor. */
typedef struct node {
    node_class c;
    double measured_ms;
    size_t count;
    habitat_work work[QUERIES_MAX];
    double factor[QUERIES_MAX];
} node;

static void add(node *n, const habitat_work *work, double factor) {
    if (n->count < QUERIES_MAX) {
        n->work[n->count] = *work;
        n->factor[n->count++] = factor;
    }
}

static void add_gemm(node *n, double b, double m, double columns, double k, bool bias) {
    habitat_work work;
    habitat_gemm_shape shape = {.b = b, .m = m, .n = columns, .k = k, .bias = bias};
    if (habitat_work_gemm(&shape, HABITAT_DTYPE_FP32, &work) == HABITAT_OK) {
        work.op_class = bias ? HABITAT_CLASS_GEMM : work.op_class;
        add(n, &work, 1);
    }
}

static void add_elementwise(node *n, const char *kind, double size, double inputs) {
    habitat_work work = {.op_class = HABITAT_CLASS_ELEMENTWISE,
                         .known = true,
                         .dtype = HABITAT_DTYPE_FP32,
                         .flop = size,
                         .read_bytes = 4 * size * inputs,
                         .write_bytes = 4 * size};
    work.shape.rows = (habitat_rows_shape){1, size};
    snprintf(work.kind, sizeof work.kind, "%s", kind);
    add(n, &work, 1);
}

static void add_rows(node *n, const char *kind, const tensor *t, double factor) {
    habitat_work work;
    habitat_rows_shape shape = {tensors_elements(t) / last(t), last(t)};
    if (habitat_work_rows(kind, &shape, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD, &work) ==
        HABITAT_OK)
        add(n, &work, factor);
}

static node_class class_of(const char *op, const char *target, const char *name, const tensor *in,
                           size_t in_count, const tensor *out) {
    if (in_count == 0 || tensors_elements(out) <= 1 || tensors_elements(&in[0]) <= 1)
        return NODE_NONE;
    if (strcmp(op, "call_module") == 0) {
        if (has(target, "LayerNorm") || has(target, "layer_norm") || has(target, "layernorm") ||
            has(target, ".ln_"))
            return NODE_LN;
        if (has(target, "drop") || has(target, "embed") || has(target, ".wte") ||
            has(target, ".wpe"))
            return NODE_NONE;
        if (has(target, "act"))
            return NODE_EW;
        return in[0].rank >= 2 ? NODE_FC : NODE_NONE;
    }
    if (has(target, "addmm"))
        return NODE_FC;
    if (has(target, "matmul") || has(target, "bmm"))
        return NODE_BMM;
    if (has(target, "softmax"))
        return NODE_SOFTMAX;
    static const char *const kinds[] = {"add",  "mul",  "truediv", "pow",
                                        "tanh", "gelu", "relu",    "sub"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (has(target, kinds[i]))
            return NODE_EW;
    (void)name;
    return NODE_NONE;
}

static void ask_product(node *n, double b, double m, double k, double columns, bool linear,
                        bool train) {
    add_gemm(n, b, m, columns, k, linear);
    if (!train)
        return;
    add_gemm(n, b, m, k, columns, false); /* gradient of the left operand */
    add_gemm(n, b, k, columns, m, false); /* and of the right one */
    for (size_t i = 1; i < n->count; i++)
        n->work[i].op_class = linear ? HABITAT_CLASS_GEMM : HABITAT_CLASS_BMM;
    if (linear)
        add_elementwise(n, "add", k * columns, 2); /* accumulation */
}

static void ask_node(node *n, const char *target, const tensor *in, size_t in_count,
                     const tensor *out, bool train) {
    double size = tensors_elements(out);
    switch (n->c) {
    case NODE_BMM: {
        double k = last(&in[0]), columns = last(out), m = out->size[out->rank - 2];
        ask_product(n, size / (m * columns), m, k, columns, false, train);
        n->work[0].op_class = HABITAT_CLASS_BMM;
        break;
    }
    case NODE_FC: {
        const tensor *x = has(target, "addmm") && in_count > 1 ? &in[1] : &in[0];
        ask_product(n, 1, tensors_elements(x) / last(x), last(x), last(out), true, train);
        break;
    }
    case NODE_SOFTMAX:
        add_rows(n, "softmax", out, train ? 2.5 : 1); /* backward moves three tensors for two */
        break;
    case NODE_LN:
        add_rows(n, "layer_norm", out, 1);
        if (train)
            add_rows(n, "layer_norm", out, 1.5);
        break;
    default: {
        double operands = in_count > 1 && tensors_elements(&in[1]) > size / 2 ? 2 : 1;
        add_elementwise(n, target, size, operands);
        bool free_backward = has(target, "add") || has(target, "sub");
        if (train && !free_backward)
            add_elementwise(n, target, size, has(target, "div") ? 1 : 2);
    }
    }
}

typedef struct config {
    char gpu[64], network[32];
    bool train;
    double layers;
    double measured[NODE_CLASSES];
    double predicted[3][NODE_CLASSES]; /* seen; left out, two rates; left out, spec sheet */
    size_t nodes;
} config;

static double models_time(const habitat_models *models, habitat_model_use use,
                          const habitat_gpu *gpu, const node *n) {
    double sum = 0;
    for (size_t i = 0; i < n->count; i++) {
        habitat_model_query query = {.work = &n->work[i], .timing = HABITAT_TIMING_EAGER};
        habitat_model_estimate answer = {0};
        if (!models ||
            habitat_models_predict(models, use, 1, &gpu, 1, &query, &answer, NULL) != HABITAT_OK ||
            !answer.covered)
            return NAN;
        sum += answer.ms * n->factor[i];
    }
    return sum;
}

/* The layer runs from the first node that carries its name to the last, and one sum beyond. */
typedef struct layer_span {
    size_t first, end;
} layer_span;

static bool names_layer(const char *name) {
    return has(name, "layer.0.") || has(name, ".h.0.") || has(name, "layers.0.");
}

static habitat_status find_layer(const char *path, layer_span *out, habitat_error *err) {
    habitat_csv_reader *r;
    habitat_status status = habitat_csv_open(path, &r, err);
    if (status != HABITAT_OK)
        return status;
    const char *line;
    size_t i = 0, last_named = 0;
    bool any = false, sum_pending = false;
    *out = (layer_span){0, 0};
    for (; (status = habitat_csv_next(r, &line, err)) == HABITAT_OK && line; i++) {
        const char *target = habitat_csv_text(r, "target");
        if (names_layer(target)) {
            if (!any)
                out->first = i;
            any = true;
            last_named = i;
            sum_pending = true;
        } else if (sum_pending && i <= last_named + 2 && has(target, "function add")) {
            last_named = i;
            sum_pending = false;
        }
    }
    out->end = any ? last_named + 1 : 0;
    habitat_csv_close(r);
    return status;
}

static void judge_node(const judged_models *models, const habitat_gpu *gpu, size_t group,
                       const habitat_gpu *estimated, const node *n, double times, config *out) {
    double made[3] = {models_time(models->seen[group], HABITAT_MODEL_AUTO, gpu, n),
                      models_time(models->without[group], HABITAT_MODEL_TRANSFER, gpu, n),
                      models_time(models->without[group], HABITAT_MODEL_TRANSFER, estimated, n)};
    out->measured[n->c] += times * n->measured_ms;
    for (int k = 0; k < 3; k++)
        out->predicted[k][n->c] += times * made[k];
    out->nodes++;
}

static habitat_status judge_file(const judged_models *models, const habitat_gpu_table *gpus,
                                 const char *path, config *out, habitat_error *err) {
    const habitat_gpu *gpu, *others[LEAVE_OUTS];
    habitat_status status = habitat_gpu_find(gpus, out->gpu, &gpu, NULL, err);
    size_t group = LEAVE_OUTS, other_count = 0;
    for (size_t g = 0; status == HABITAT_OK && g < 5; g++) {
        if (strcmp(leave_outs[g].names[0], gpu->name) == 0)
            group = g;
        else
            status =
                habitat_gpu_find(gpus, leave_outs[g].names[0], &others[other_count++], NULL, err);
    }
    layer_span layer;
    if (status == HABITAT_OK)
        status = find_layer(path, &layer, err);
    if (status != HABITAT_OK || group == LEAVE_OUTS)
        return status;
    habitat_gpu estimated;
    train_estimate_rates(gpu, others, other_count, &estimated);
    habitat_csv_reader *r;
    if ((status = habitat_csv_open(path, &r, err)) != HABITAT_OK)
        return status;
    const char *line;
    for (size_t i = 0; (status = habitat_csv_next(r, &line, err)) == HABITAT_OK && line; i++) {
        tensor in[TENSORS_MAX], result[TENSORS_MAX];
        size_t in_count = read_tensors(habitat_csv_text(r, "input_shapes"), in);
        if (read_tensors(habitat_csv_text(r, "output_shape"), result) == 0)
            continue;
        const char *target = habitat_csv_text(r, "target");
        node n = {.measured_ms = habitat_csv_number(r, "fw_ms")};
        n.c = class_of(habitat_csv_text(r, "op"), target, habitat_csv_text(r, "name"), in, in_count,
                       result);
        if (out->train)
            n.measured_ms += habitat_csv_number(r, "bw_ms") + habitat_csv_number(r, "acc_ms");
        if (n.c == NODE_NONE || strcmp(habitat_csv_text(r, "dtype"), "float32") != 0 ||
            !isfinite(n.measured_ms))
            continue;
        ask_node(&n, target, in, in_count, result, out->train);
        judge_node(models, gpu, group, &estimated, &n,
                   i >= layer.first && i < layer.end ? out->layers : 1, out);
    }
    habitat_csv_close(r);
    return status;
}

/* "GPU__MODEL-MODE-SEQ-BATCH.csv.gz" */
static bool read_name(const char *name, config *out) {
    static const struct {
        const char *network;
        double layers;
    } networks[] = {{"bert_large", 24}, {"gpt2_large", 36}, {"opt_13", 24}};
    const char *bar = strstr(name, "__"), *dash = bar ? strchr(bar, '-') : NULL;
    *out = (config){.nodes = 0};
    if (!dash || !strstr(name, ".csv") || (size_t)(bar - name) >= sizeof out->gpu ||
        (size_t)(dash - bar - 2) >= sizeof out->network)
        return false;
    memcpy(out->gpu, name, (size_t)(bar - name));
    memcpy(out->network, bar + 2, (size_t)(dash - bar - 2));
    out->train = strncmp(dash, "-train", 6) == 0;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        if (strcmp(networks[i].network, out->network) == 0)
            out->layers = networks[i].layers;
    return out->layers > 0;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* False without memory; a folder that is not there has no files. */
static bool list_files(const char *folder, char **names, size_t most, size_t *count) {
    bool fine = true;
    errno = 0;
    DIR *directory = opendir(folder);
    *count = 0;
    if (!directory)
        return errno != ENOMEM;
    for (struct dirent *entry; fine && *count < most && (entry = readdir(directory));) {
        size_t bytes = strlen(entry->d_name) + 1;
        if (entry->d_name[0] == '.')
            continue;
        char *name = malloc(bytes);
        if (name)
            names[(*count)++] = memcpy(name, entry->d_name, bytes);
        fine = name != NULL;
    }
    closedir(directory);
    qsort(names, *count, sizeof *names, compare_names);
    return fine;
}

typedef struct totals {
    double sum[3][NODE_CLASSES], worst[3][NODE_CLASSES];
    size_t n[3][NODE_CLASSES];
} totals;

static void add_config(totals *t, const config *c) {
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < NODE_CLASSES; j++) {
            double e = 100 * fabs(c->predicted[k][j] / c->measured[j] - 1);
            if (!isfinite(e))
                continue;
            t->sum[k][j] += e;
            t->worst[k][j] = fmax(t->worst[k][j], e);
            t->n[k][j]++;
        }
}

static void print_line(report_text *text, const char *title, const double *sum, const size_t *n,
                       const double *worst) {
    report_print(text, "| %s |", title);
    for (int j = 0; j < NODE_CLASSES; j++)
        report_print(text, n[j] ? " %.1f (%.0f) |" : " - |", sum[j] / (double)n[j], worst[j]);
    report_print(text, "\n");
}

habitat_status evaluate_published(const judged_models *models, const habitat_gpu_table *gpus,
                                  const char *folder, report_text *text, habitat_error *err) {
    enum { FILES_MAX = 256 };
    char path[4096], *names[FILES_MAX];
    snprintf(path, sizeof path, "%s/e2e_ops", folder);
    size_t count = 0;
    bool listed = list_files(path, names, FILES_MAX, &count);
    totals all = {{{0}}, {{0}}, {{0}}}, sound = all;
    habitat_status status =
        listed ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        config c;
        if (status == HABITAT_OK && read_name(names[i], &c)) {
            snprintf(path, sizeof path, "%s/e2e_ops/%s", folder, names[i]);
            status = judge_file(models, gpus, path, &c, err);
            add_config(&all, &c);
            if (strncmp(c.gpu, "A100", 4) != 0 || strcmp(c.network, "opt_13") == 0)
                add_config(&sound, &c);
            used++;
        }
        free(names[i]);
    }
    if (status != HABITAT_OK || used == 0)
        return status;
    report_print(
        text,
        "\n## Published per-class metric\n\nTimes of one class summed over a model, error of "
        "the sum [%%], mean over %zu configurations, the worst in brackets.\n\n| method |",
        used);
    for (int j = 0; j < NODE_CLASSES; j++)
        report_print(text, " %s |", node_titles[j]);
    report_print(text, "\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        report_print(text, "| %s, published |", published[i].method);
        for (int j = 0; j < NODE_CLASSES; j++)
            report_print(text, " %.1f |", published[i].error[j]);
        report_print(text, "\n");
    }
    static const char *const titles[3] = {"Habitat `auto`, seen",
                                          "Habitat `auto`, left out, two rates",
                                          "Habitat `auto`, left out, spec sheet"};
    for (int k = 0; k < 3; k++)
        print_line(text, titles[k], all.sum[k], all.n[k], all.worst[k]);
    print_line(text, "the same, seen, without the A100 lists that contradict their own source",
               sound.sum[0], sound.n[0], sound.worst[0]);
    return status;
}
