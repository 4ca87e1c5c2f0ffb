/* Tables of measured convolutions, in `habitat eval memory`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantile.h"
#include "lab/algorithms.h"

static const char *const pass_names[] = {"forward", "gradient of the image",
                                         "gradient of the weights"};

/* ---- workspaces ---- */

typedef struct spread {
    double *excess; /* measured less said [byte], shape (count) */
    size_t count;
    double worst; /* of them over what was said, of those beyond rounding */
} spread;

static const double rounding_bytes = 2e6; /* of the allocator, at most */

static void add_row(const algorithm_row *row, memory_pass pass, spread *out) {
    double said = algorithm_bytes(row, pass), excess = row->bytes[pass] - said;
    out->excess[out->count++] = excess;
    if (fabs(excess) > rounding_bytes && fabs(excess / said) > fabs(out->worst))
        out->worst = excess / said;
}

static void print_spread(const char *name, memory_pass pass, spread *s, report_text *text) {
    if (!s->count)
        return;
    habitat_sort_numbers(s->excess, s->count);
    report_print(text, "| %s | %s | %zu | %.2f | %.2f | %.2f | %.1f |\n", name, pass_names[pass],
                 s->count, s->excess[s->count / 2] / 1e6, s->excess[0] / 1e6,
                 s->excess[s->count - 1] / 1e6, 100 * s->worst);
}

/* `start` of a word stands for all of a kind. */
static void print_kind(const algorithm_set *set, const char *name, const char *start,
                       memory_pass pass, double *room, report_text *text) {
    spread s = {room, 0, 0};
    for (size_t i = 0; i < set->count; i++)
        if (!strncmp(set->rows[i].word[pass], start, strlen(start)) &&
            isfinite(algorithm_bytes(&set->rows[i], pass)))
            add_row(&set->rows[i], pass, &s);
    print_spread(name, pass, &s, text);
}

static void print_bytes(const algorithm_set *set, double *room, report_text *text) {
    static const struct {
        const char *name, *start;
    } kinds[] = {{"spectra", "spectra"},
                 {"Winograd 4x4", "tiles4"},
                 {"Winograd 9x9", "tiles9"},
                 {"copies, channels last", "copies"},
                 {"direct", "direct"}};
    report_print(text,
                 "### Measured workspaces\n\n%zu convolutions in strict fp32, measured "
                 "pass by pass on an H200 (convolution_algorithms_h200.csv of "
                 "data/measurements), against the formula of the algorithm that ran: what "
                 "was\nmeasured less what is told, MB. PyTorch's allocator gives up to 2 MB "
                 "more than is asked for. Worst %%: of what differs by more.\n\n"
                 "| algorithm | pass | measured | median MB | least | most | worst %% |\n"
                 "|---|---|--:|--:|--:|--:|--:|\n",
                 set->count);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int pass = 0; pass < ALGORITHM_PASSES; pass++)
            print_kind(set, kinds[i].name, kinds[i].start, (memory_pass)pass, room, text);
    report_print(text, "\n");
}

/* ---- the rule ---- */

static double share(size_t part, size_t count) {
    return count ? 100 * (double)part / (double)count : 0;
}

static void print_calls(const algorithm_set *set, memory_pass pass, const memory_costs *left_out,
                        report_text *text) {
    memory_costs built = memory_costs_built();
    algorithm_calls all = algorithms_judge(set, pass, false, ALGORITHM_ALL, &built);
    algorithm_calls layers = algorithms_judge(set, pass, true, ALGORITHM_ALL, &built);
    size_t right = 0;
    for (int fold = 0; fold < ALGORITHM_FOLDS; fold++)
        right += algorithms_judge(set, pass, false, fold, &left_out[fold]).right;
    report_print(text, "| %s | %zu | %.1f | %.1f | %.1f | %zu of %zu |\n", pass_names[pass],
                 all.count, share(all.plain, all.count), share(right, all.count),
                 share(all.right, all.count), layers.right, layers.count);
}

static void print_costs(const char *name, const memory_costs *costs, report_text *text) {
    report_print(text, "| %s |", name);
    for (int i = 0; i < MEMORY_COST_COUNT; i++)
        report_print(text, " %.3g |", i == MEMORY_COST_START ? 1e6 * costs->of[i] : costs->of[i]);
    report_print(text, "\n");
}

static void print_rule(const algorithm_set *set, report_text *text) {
    memory_costs left_out[ALGORITHM_FOLDS], built = memory_costs_built(),
                                            all = algorithms_choose(set, ALGORITHM_ALL);
    for (int fold = 0; fold < ALGORITHM_FOLDS; fold++)
        left_out[fold] = algorithms_choose(set, fold);
    report_print(text,
                 "### The algorithm that is taken\n\nOf them, those that cuDNN was let try: "
                 "how often the fastest is told, spectra or tiles against all others, where "
                 "there could be any. Left out: by constants chosen on the other four\n"
                 "fifths of the random shapes. Layers of VGG-16 and ResNet-50 (12 images): "
                 "nothing was chosen on them.\n\n"
                 "| pass | shapes | others ran %% | right, left out %% | right, as built %% | "
                 "layers right |\n|---|--:|--:|--:|--:|--:|\n");
    for (int pass = 0; pass < ALGORITHM_PASSES; pass++)
        print_calls(set, (memory_pass)pass, left_out, text);
    report_print(text,
                 "\n| constants | direct | small tiles | spectra moved | of tiles | start us | "
                 "weights | tiles moved |\n|---|--:|--:|--:|--:|--:|--:|--:|\n");
    print_costs("as built", &built, text);
    print_costs("of all random shapes", &all, text);
    report_print(text, "\n");
}

void algorithms_print(const algorithm_set *set, report_text *text) {
    double *room = set->count ? malloc(set->count * sizeof *room) : NULL;
    if (!set->count)
        return;
    if (!room) {
        text->no_memory = true;
        return;
    }
    print_bytes(set, room, text);
    print_rule(set, text);
    free(room);
}
