/* `habitat eval choose`: how often the GPU that is predicted best is the measured best, beside the
 * picks that need no prediction. The GPUs are those on which somebody measured the same iteration.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/price.h>

#include "base/error.h"
#include "lab/e2e.h"
#include "lab/report.h"

/* Ways to pick. Each gives a GPU a figure; the smallest is picked. */
typedef enum pick {
    PICK_AUTO = 0,  /* predicted, as `habitat choose` does */
    PICK_ESTIMATED, /* the same for GPUs of which only the data sheet is known */
    PICK_FLOPS,     /* data sheet's rate in the iteration's number format */
    PICK_BANDWIDTH, /* data sheet's */
    PICK_PRICE,     /* by time the dearest, by cost the cheapest */
    PICKS
} pick;

static const char *const pick_names[PICKS] = {"`habitat choose`",
                                              "the same, of each GPU only the data sheet",
                                              "peak FLOP/s", "bandwidth", "price of an hour"};

static const double near_best = 1.05;

/* Among which GPUs is chosen. */
typedef enum among { AMONG_ALL = 0, AMONG_TWO, AMONG_TWO_CHIPS, AMONGS } among;
static const char *const among_names[AMONGS] = {"all GPUs", "every two",
                                                "every two of different chips"};

/* One candidate of a choice. */
typedef struct candidate {
    const e2e_case *c;
    double usd; /* of an hour; NaN: not known */
} candidate;

typedef struct score {
    size_t count, best, near;
    double loss, worst;
} score;

/* ---- prices ---- */

/* Of the GPU alone, on demand: Google Cloud's list, so that like is compared with like. */
static double list_price(const habitat_prices *prices, const habitat_gpu *gpu) {
    size_t count = 0;
    const habitat_price *list = habitat_prices_list(prices, &count);
    for (size_t i = 0; i < count; i++)
        if (list[i].gpu == gpu && list[i].gpu_alone && !list[i].spot)
            return list[i].usd_per_hour;
    return NAN;
}

/* ---- picks ---- */

static double peak_rate(const e2e_case *c) {
    bool half = strcmp(c->dtype, "fp16") == 0;
    habitat_dtype dtype = half ? HABITAT_DTYPE_FP16 : HABITAT_DTYPE_FP32;
    double matrix = habitat_gpu_rate(c->gpu, HABITAT_RATE_PEAK, dtype, true, NULL);
    return half && matrix > 0 ? matrix
                              : habitat_gpu_rate(c->gpu, HABITAT_RATE_PEAK, dtype, false, NULL);
}

/* What counts: milliseconds, or those times dollars an hour. */
static double worth(double ms, const candidate *of, bool cost) {
    return cost ? ms * of->usd : ms;
}

static double figure_of(pick by, const candidate *of, bool cost) {
    const e2e_case *c = of->c;
    switch (by) {
    case PICK_AUTO:
        return worth(c->by[E2E_AUTO].ms, of, cost);
    case PICK_ESTIMATED:
        return worth(c->by[E2E_ESTIMATED].ms, of, cost);
    case PICK_FLOPS:
        return worth(1 / peak_rate(c), of, cost);
    case PICK_BANDWIDTH:
        return worth(1 / habitat_gpu_number(c->gpu, HABITAT_GPU_MEMORY_BANDWIDTH_BYTES_PER_S), of,
                     cost);
    case PICK_PRICE:
        return cost ? of->usd : -of->usd;
    case PICKS:
        break;
    }
    return NAN;
}

static void judge(const candidate *all, size_t count, pick by, bool cost, score *out) {
    double best = INFINITY, least = INFINITY, picked = NAN;
    for (size_t i = 0; i < count; i++) {
        double measured = worth(all[i].c->measured_ms, &all[i], cost);
        double figure = figure_of(by, &all[i], cost);
        if (isnan(figure))
            return; /* this way knows too little of one of them */
        best = fmin(best, measured);
        if (figure < least) {
            least = figure;
            picked = measured;
        }
    }
    double loss = picked / best;
    out->count++;
    out->best += loss <= 1.0;
    out->near += loss <= near_best;
    out->loss += loss - 1.0;
    out->worst = fmax(out->worst, loss - 1.0);
}

static bool same_chip(const habitat_gpu *a, const habitat_gpu *b) {
    const char *x = habitat_gpu_text(a, HABITAT_GPU_CHIP),
               *y = habitat_gpu_text(b, HABITAT_GPU_CHIP);
    return x && y && strcmp(x, y) == 0;
}

/* All candidates of a recording, or every two of them. */
static void judge_recording(const candidate *all, size_t count, among which, bool cost,
                            score scores[PICKS]) {
    candidate two[2];
    for (int by = 0; by < PICKS && count > 1; by++) {
        if (which == AMONG_ALL)
            judge(all, count, (pick)by, cost, &scores[by]);
        for (size_t i = 0; which != AMONG_ALL && i < count; i++)
            for (size_t j = i + 1; j < count; j++) {
                if (which == AMONG_TWO_CHIPS && same_chip(all[i].c->gpu, all[j].c->gpu))
                    continue;
                two[0] = all[i];
                two[1] = all[j];
                judge(two, 2, (pick)by, cost, &scores[by]);
            }
    }
}

/* all: room for every case of the set. */
static void judge_set(const e2e_set *set, const habitat_prices *prices, among which, bool cost,
                      candidate *all, score scores[PICKS]) {
    memset(scores, 0, PICKS * sizeof *scores);
    for (size_t r = 0; r < set->recordings; r++) {
        size_t count = 0;
        for (size_t i = 0; i < set->count; i++) {
            const e2e_case *c = &set->cases[i];
            double usd = list_price(prices, c->gpu);
            if (c->recording == r && (!cost || usd > 0))
                all[count++] = (candidate){c, usd};
        }
        judge_recording(all, count, which, cost, scores);
    }
}

/* ---- tables ---- */

static void print_rows(const score scores[PICKS], const char *what, report_text *text) {
    for (int by = 0; by < PICKS; by++) {
        const score *s = &scores[by];
        double count = (double)s->count;
        if (s->count)
            report_print(text, "| %s | %s | %zu | %.1f | %.1f | %.1f | %.0f |\n", what,
                         pick_names[by], s->count, 100 * (double)s->best / count,
                         100 * (double)s->near / count, 100 * s->loss / count, 100 * s->worst);
    }
}

static void print_set(const e2e_set *set, const habitat_prices *prices, const char *title,
                      bool cost, candidate *all, report_text *text) {
    score scores[PICKS];
    judge_set(set, prices, AMONG_ALL, cost, all, scores);
    if (!scores[PICK_AUTO].count)
        return;
    report_print(
        text,
        "\n## %s\n\n| choice among | pick by | choices | best, %% | within 5 %%, %% | mean "
        "loss, %% | worst, %% |\n|---|---|---|---|---|---|---|\n",
        title);
    for (int which = 0; which < AMONGS; which++) {
        judge_set(set, prices, (among)which, cost, all, scores);
        print_rows(scores, among_names[which], text);
    }
}

static const char head[] =
    "# How often the choice is right\n\n"
    "Made by `habitat eval choose`; do not edit. Recordings of one GPU (H200) are predicted onto "
    "the GPUs on\n"
    "which others measured the same iteration ([accuracy.md](accuracy.md), parts e2e and cnn). The "
    "GPU that is\n"
    "predicted best is compared with the one that was measured best. \"Loss\" is how much worse "
    "the picked one\n"
    "was measured.\n\n"
    "The other picks need no prediction: highest peak FLOP/s of the data sheet in the iteration's "
    "number format,\n"
    "highest bandwidth, and by price (by time the dearest, by cost the cheapest). By cost, FLOP/s "
    "and bandwidth\n"
    "are taken per dollar. Prices are Google Cloud's list prices of GPUs alone "
    "([prices.md](prices.md)), so cost is judged\n"
    "among P4, T4 and P100. \"Of each GPU only the data sheet\": its measured rates are taken "
    "away; operator models\n"
    "keep what they learned of it. Predictions are of the GPU's busy time.\n\n"
    "These measurements can tell little. There are few GPUs of one iteration. Among the language "
    "models' one is\n"
    "ahead in rate and bandwidth alike, so every pick finds it; by cost the order is mostly that "
    "of the P4, which was\n"
    "measured at half of the rate that its data sheet gives. Among the networks' are two pairs of "
    "one chip (Titan RTX and RTX 2080\n"
    "Ti; Titan Xp and GTX 1080 Ti), each measured on machines of their own, copies from the host "
    "included; often the\n"
    "card that has less of everything was the faster. So two of different chips stand apart.\n";

static habitat_status judge_source(const habitat_gpu_table *gpus, const char *source,
                                   const char *measurements, const char *recordings,
                                   const habitat_prices *prices, report_text *text,
                                   habitat_error *err) {
    bool networks = strcmp(source, "ryujaehun") == 0;
    e2e_set set = {0};
    candidate *all = NULL;
    habitat_status status = e2e_collect(gpus, source, measurements, recordings, false, &set, err);
    if (status == HABITAT_OK && !(all = calloc(set.count + 1, sizeof *all)))
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status == HABITAT_OK) {
        print_set(&set, prices,
                  networks ? "Convolutional networks on GeForce, by time"
                           : "Language models, by time",
                  false, all, text);
        print_set(&set, prices,
                  networks ? "Convolutional networks, by cost" : "Language models, by cost", true,
                  all, text);
    }
    free(all);
    e2e_free(&set);
    return status;
}

habitat_status habitat_evaluate_choice(const habitat_gpu_table *gpus, const char *measurements,
                                       const char *recordings, habitat_text_sink sink,
                                       void *context, habitat_error *err) {
    static const char *const sources[] = {"neusight", "ryujaehun"};
    habitat_error local = {0};
    habitat_prices *prices = NULL;
    if (!gpus || !measurements || !recordings || !sink)
        return habitat_fail(err, HABITAT_E_ARG, "no table, folder or sink given");
    report_text text = {sink, context, false, false};
    habitat_status status = habitat_prices_create(gpus, true, &prices, err);
    if (status == HABITAT_OK)
        report_print(&text, "%s", head);
    for (size_t i = 0; status == HABITAT_OK && i < 2; i++)
        status = judge_source(gpus, sources[i], measurements, recordings, prices, &text,
                              err ? err : &local);
    habitat_prices_free(prices);
    return report_end(&text, status, err);
}
