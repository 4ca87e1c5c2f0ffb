/* Which dimensions carry the batch, told from one recording of known batch size b.
 *
 * A tensor of rank 3 or more that begins with b, or has b in its second place (sequence first),
 * carries it there. Sizes that such tensors flatten to (b times sequence, b times heads) carry it
 * in tensors of lower rank. Weights of convolutions, layers and embeddings never do; where a tensor
 * of fewer dimensions has the shape of a parameter, the operation decides. A matrix product carries
 * it in its rows, or, with its first operand transposed, in the sum: the gradient of a weight.
 *
 * Graphs, points and sequences of several lengths lie in one row, and no tensor has the batch as a
 * size, or those alone that are made of whole samples later on. Parameters have the same sizes at
 * any batch: what has another size is taken to hold it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "rescale/scale.h"
#include "trace/names.h"
#include "work/class.h"
#include "work/rule.h"

enum { RANK_MAX = 6 };

typedef struct shape {
    uint32_t rank;
    int64_t dims[RANK_MAX];
} shape;

struct scale_sizes {
    int64_t batch;     /* of one forward pass */
    int64_t whole;     /* of the iteration */
    int64_t *products; /* shape (product_count): sizes that are the batch times others */
    size_t product_count, product_room;
    int64_t *rows; /* shape (row_count): sizes that no parameter has, where samples are in a row */
    size_t row_count, row_room;
    shape *parameters; /* shape (parameter_count) */
    size_t parameter_count, parameter_room;
    bool without_batch; /* no tensor has the batch as a size */
    bool out_of_memory;
};

static const int64_t largest = (int64_t)1 << 52;

/* ---- lists ---- */

static bool is_row(const scale_sizes *s, int64_t size) {
    for (size_t i = 0; i < s->row_count; i++)
        if (s->rows[i] == size)
            return true;
    return false;
}

static bool is_product(const scale_sizes *s, int64_t size) {
    if (size == s->batch && !s->without_batch)
        return true;
    for (size_t i = 0; i < s->product_count; i++)
        if (s->products[i] == size)
            return true;
    return is_row(s, size);
}

static bool is_parameter(const scale_sizes *s, uint32_t rank, const int64_t *dims) {
    for (size_t i = 0; i < s->parameter_count; i++)
        if (s->parameters[i].rank == rank &&
            memcmp(s->parameters[i].dims, dims, rank * sizeof *dims) == 0)
            return true;
    return false;
}

static bool is_size_of_parameter(const scale_sizes *s, int64_t size) {
    for (size_t i = 0; i < s->parameter_count; i++)
        for (uint32_t d = 0; d < s->parameters[i].rank; d++)
            if (s->parameters[i].dims[d] == size)
                return true;
    return false;
}

/* Room for one more of `size` bytes; NULL without memory, which is remembered. */
static void *grow(scale_sizes *s, void *list, size_t count, size_t *room, size_t size) {
    void *grown = list_grow(list, count, room, 64, SIZE_MAX, size);
    s->out_of_memory |= !grown;
    return grown;
}

static void add_product(scale_sizes *s, int64_t size) {
    if (is_product(s, size))
        return;
    int64_t *list = grow(s, s->products, s->product_count, &s->product_room, sizeof size);
    if (!list)
        return;
    s->products = list;
    s->products[s->product_count++] = size;
}

static void add_row(scale_sizes *s, int64_t size) {
    if (is_product(s, size))
        return;
    int64_t *list = grow(s, s->rows, s->row_count, &s->row_room, sizeof size);
    if (!list)
        return;
    s->rows = list;
    s->rows[s->row_count++] = size;
}

static void add_parameter(scale_sizes *s, uint32_t rank, const int64_t *dims) {
    if (rank == 0 || rank > RANK_MAX || is_parameter(s, rank, dims))
        return;
    shape *list = grow(s, s->parameters, s->parameter_count, &s->parameter_room, sizeof *list);
    if (!list)
        return;
    s->parameters = list;
    shape *out = &s->parameters[s->parameter_count++];
    *out = (shape){.rank = rank};
    memcpy(out->dims, dims, rank * sizeof *dims);
}

/* ---- what an operation's inputs are ---- */

static const char *base_name(const habitat_operation *op) {
    return name_bare(op->form->name);
}

static bool named(const habitat_operation *op, const char *const *names) {
    const char *name = base_name(op);
    for (size_t i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* The row of the operation's table; a rule with a handler names the inputs that it takes. */
static const work_rule *rule_of(const habitat_operation *op) {
    bool in_place = false;
    const char *name = base_name(op);
    return work_rule_find(name, strlen(name), &in_place);
}

/* Convolutions and norms of every library: samples first, then parameters. Of the lists of
 * recurrent layers only cuDNN's has parameters alone behind the samples. */
static bool first_is_activation(const habitat_operation *op) {
    static const char *const names[] = {"linear", "_cudnn_rnn", NULL};
    const work_rule *rule = rule_of(op);
    if (rule && rule->handler && rule->pass == HABITAT_PASS_FORWARD &&
        (rule->op_class == HABITAT_CLASS_CONV || rule->op_class == HABITAT_CLASS_NORM))
        return true;
    return named(op, names);
}

/* Parameters of such an operation. "add": what is added to the result stands behind the weights. A
 * recurrent layer has the states that it begins with there: layers, samples, width. */
static bool is_weight_input(const habitat_operation *op, uint32_t i) {
    if (strcmp(base_name(op), "_cudnn_rnn") == 0 && !op->form->inputs[i].is_list &&
        op->form->inputs[i].rank == 3)
        return false;
    return i > 0 && !(i == 2 && strstr(base_name(op), "_add_relu"));
}

static bool sums_bags(const habitat_operation *op) {
    static const char *const names[] = {"_embedding_bag", "_embedding_bag_forward_only", NULL};
    return named(op, names);
}

static bool looks_up_table(const habitat_operation *op) {
    static const char *const names[] = {"embedding", "index_select", "gather", "take", NULL};
    return named(op, names) || sums_bags(op);
}

static bool transposed(const habitat_input *a) {
    return a->strides && a->strides[0] == 1 && a->strides[1] > 1 && a->dims[0] > 1;
}

/* A product for each group of rows, as of experts: matrices of weights behind the rows. */
static bool is_grouped_product(const habitat_operation *op) {
    static const char *const names[] = {"_grouped_mm", "_scaled_grouped_mm", NULL};
    return named(op, names);
}

/* Place of the operand of a matrix product that has samples in its rows; -1: it is none. */
static int product_operand(const habitat_operation *op) {
    static const char *const first[] = {"mm", "mv", "_int_mm", "_scaled_mm", NULL};
    static const char *const second[] = {"addmm", "addmv", "addmm_", "addmv_", "_addmm_activation",
                                         NULL};
    return named(op, first) || is_grouped_product(op) ? 0 : named(op, second) ? 1 : -1;
}

static bool is_weight_of_groups(const habitat_operation *op, uint32_t i) {
    return i == 1 && is_grouped_product(op) && op->form->inputs[0].rank == 2 &&
           op->form->inputs[1].rank == 3;
}

static bool is_parameter_input(const habitat_operation *op, uint32_t i) {
    if (first_is_activation(op))
        return is_weight_input(op, i);
    if (looks_up_table(op))
        return i == 0;
    const work_rule *rule = rule_of(op); /* the gradient, the samples, the weights */
    return i == 2 && rule && rule->handler && rule->pass == HABITAT_PASS_BACKWARD &&
           rule->op_class == HABITAT_CLASS_CONV;
}

/* ---- collecting ---- */

/* The dimension of a tensor of rank 3 or more that is the batch itself, or -1. */
static int plain_dim(const scale_sizes *s, const habitat_input *input) {
    if (input->rank < 3)
        return -1;
    return input->dims[0] == s->batch ? 0 : input->dims[1] == s->batch ? 1 : -1;
}

/* Queries, keys and values in one tensor have a dimension before those of sequences and samples: 3
 * x 197 x 8 x 768, where 197 x 8 rows are known. */
static bool is_third(const scale_sizes *s, const habitat_input *input) {
    return input->rank >= 4 && !s->without_batch && s->batch > 1 && input->dims[2] == s->batch &&
           input->dims[1] > 0 && input->dims[1] <= largest / s->batch &&
           is_product(s, input->dims[1] * s->batch);
}

/* Sizes that a tensor with the batch at `at` flattens to. */
static void add_products_of(scale_sizes *s, const habitat_input *input, uint32_t at) {
    int64_t size = 1;
    for (uint32_t d = 0; d < input->rank && input->dims[d] > 0; d++) {
        if (size > largest / input->dims[d])
            return;
        size *= input->dims[d];
        if (d >= at)
            add_product(s, size);
    }
}

/* Places in the maps of all samples, as which a convolution is one product: without the channels.
 */
static void add_places_of(scale_sizes *s, const habitat_input *maps) {
    int64_t size = s->batch;
    for (uint32_t d = 2; d < maps->rank; d++) {
        if (maps->dims[d] <= 0 || size > largest / maps->dims[d])
            return;
        size *= maps->dims[d];
    }
    add_product(s, size);
}

static void collect_parameters(scale_sizes *s, const habitat_operation *op) {
    bool gradient_of_table = strcmp(base_name(op), "embedding") == 0;
    for (uint32_t i = 0; i < op->form->input_count; i++) {
        const habitat_input *input = &op->form->inputs[i];
        bool weight = first_is_activation(op)
                          ? is_weight_input(op, i)
                          : (gradient_of_table && i == 0) || is_weight_of_groups(op, i);
        if (input->is_tensor && !input->is_list && weight)
            add_parameter(s, input->rank, input->dims);
        const int64_t *group = input->is_list ? input->dims : NULL;
        for (uint32_t j = 0; group && weight && j < input->list_count; j++) {
            add_parameter(s, (uint32_t)group[0], group + 1);
            group += 1 + group[0];
        }
    }
}

/* Lists of the optimiser hold parameters, whatever they are called. */
static void collect_lists(scale_sizes *s, const habitat_operation *op) {
    for (uint32_t i = 0; i < op->form->input_count; i++) {
        const int64_t *group = op->form->inputs[i].is_list ? op->form->inputs[i].dims : NULL;
        for (uint32_t j = 0; group && j < op->form->inputs[i].list_count; j++) {
            add_parameter(s, (uint32_t)group[0], group + 1);
            group += 1 + group[0];
        }
    }
}

/* What such sizes flatten to in their turn: rows that go to two experts each are twice as many. */
static void collect_products_of_products(scale_sizes *s, const habitat_operation *op) {
    for (uint32_t i = 0; i < op->form->input_count; i++) {
        const habitat_input *input = &op->form->inputs[i];
        if (input->is_tensor && !input->is_list && input->rank >= 3 && !is_parameter_input(op, i) &&
            !is_parameter(s, input->rank, input->dims) && input->dims[0] > s->batch &&
            is_product(s, input->dims[0]))
            add_products_of(s, input, 0);
    }
}

/* Sums of rows of a table, a bag of rows each sample: places in the table stand in one row. */
static void collect_bags(scale_sizes *s, const habitat_operation *op) {
    const habitat_input *in = op->form->inputs;
    if (op->form->input_count > 2 && in[1].rank == 1 && in[2].rank == 1 &&
        (in[2].dims[0] == s->batch || in[2].dims[0] == s->batch + 1))
        add_product(s, in[1].dims[0]);
}

static void collect_products(scale_sizes *s, const habitat_operation *op) {
    bool batched = strcmp(base_name(op), "bmm") == 0 || strcmp(base_name(op), "baddbmm") == 0;
    bool indices = strcmp(base_name(op), "embedding") == 0;
    const work_rule *rule = rule_of(op);
    bool maps = rule && rule->op_class == HABITAT_CLASS_CONV;
    for (uint32_t i = 0; i < op->form->input_count; i++) {
        const habitat_input *input = &op->form->inputs[i];
        if (!input->is_tensor || input->is_list || is_parameter_input(op, i) ||
            is_parameter(s, input->rank, input->dims))
            continue;
        int at = plain_dim(s, input);
        if (batched && input->rank == 3 && input->dims[0] % s->batch == 0)
            add_product(s, input->dims[0]);
        if (at < 0 && indices && input->rank == 2)
            at = input->dims[0] == s->batch ? 0 : input->dims[1] == s->batch ? 1 : -1;
        if (at >= 0)
            add_products_of(s, input, (uint32_t)at);
        if (at == 0 && input->rank >= 4 && maps)
            add_places_of(s, input);
    }
    if (sums_bags(op))
        collect_bags(s, op);
}

/* ---- samples in one row ---- */

/* A tensor of samples may begin with their number, in one row or not. */
static bool begins_with_samples(const scale_sizes *s, const habitat_operation *op, uint32_t i) {
    const habitat_input *input = &op->form->inputs[i];
    const int64_t *dims = input->dims;
    if (!input->is_tensor || input->is_list || input->rank == 0 || is_parameter_input(op, i) ||
        is_parameter(s, input->rank, dims))
        return false;
    return input->rank != 2 ||
           (!transposed(input) && !is_parameter(s, 2, (int64_t[]){dims[1], dims[0]}));
}

static bool begins_with_batch(const scale_sizes *s, const habitat_operation *op) {
    for (uint32_t i = 0; i < op->form->input_count; i++)
        if (begins_with_samples(s, op, i) && op->form->inputs[i].rank >= 2 &&
            op->form->inputs[i].dims[0] == s->batch)
            return true;
    return false;
}

static void collect_rows(scale_sizes *s, const habitat_operation *op) {
    int operand = product_operand(op);
    for (uint32_t i = 0; i < op->form->input_count; i++)
        if ((operand < 0 || i == (uint32_t)operand) && begins_with_samples(s, op, i) &&
            op->form->inputs[i].dims[0] > s->batch &&
            !is_size_of_parameter(s, op->form->inputs[i].dims[0]))
            add_row(s, op->form->inputs[i].dims[0]);
}

/* A product by group without a kernel for all is one product each, of as many rows as values sent
 * there: sizes that no batch explains, and that on average grow with it. */
static void collect_parts(scale_sizes *s, const habitat_operation *ops,
                          const habitat_operation *op) {
    const habitat_input *in = op->form->inputs;
    if (strcmp(base_name(op), "mm") != 0 || op->parent == HABITAT_NONE || op->form->input_count < 2)
        return;
    const habitat_operation *of = &ops[op->parent];
    if (is_grouped_product(of) && in[0].rank == 2 && in[1].rank == 2 &&
        of->form->inputs[0].rank == 2 && is_product(s, of->form->inputs[0].dims[0]) &&
        in[0].dims[0] > 0 && !is_size_of_parameter(s, in[0].dims[0]))
        add_row(s, in[0].dims[0]);
}

static bool sees_samples(const habitat_workload *w, size_t g) {
    return w->groups[g].operation && !scale_sees_parameters(w, &w->groups[g]);
}

static bool has_batch(const scale_sizes *s, const habitat_workload *w) {
    bool found = s->product_count > 0;
    for (size_t g = 0; !found && g < w->group_count; g++)
        found = sees_samples(w, g) && begins_with_batch(s, w->groups[g].operation);
    return found;
}

habitat_status scale_sizes_look_in_rows(scale_sizes *s, const habitat_workload *w, bool *more) {
    size_t known = s->row_count;
    for (size_t g = 0; g < w->group_count; g++)
        if (sees_samples(w, g))
            collect_rows(s, w->groups[g].operation);
    *more = s->row_count > known;
    return s->out_of_memory ? HABITAT_E_MEMORY : HABITAT_OK;
}

habitat_status scale_sizes_create(const habitat_workload *w, uint64_t batch, uint32_t parts,
                                  scale_sizes **out) {
    size_t count = 0;
    const habitat_operation *ops = habitat_trace_operations(w->trace, &count);
    scale_sizes *made = calloc(1, sizeof *made);
    if (!made)
        return HABITAT_E_MEMORY;
    *out = made;
    made->whole = (int64_t)batch;
    made->batch = made->whole / parts;
    for (size_t i = 0; i < count; i++)
        collect_parameters(made, &ops[i]);
    for (size_t g = 0; g < w->group_count; g++)
        if (w->groups[g].operation && w->groups[g].work->op_class == HABITAT_CLASS_OPTIMIZER)
            collect_lists(made, w->groups[g].operation);
    for (size_t g = 0; g < w->group_count; g++)
        if (sees_samples(w, g))
            collect_products(made, w->groups[g].operation);
    for (size_t g = 0; g < w->group_count; g++)
        if (sees_samples(w, g))
            collect_products_of_products(made, w->groups[g].operation);
    for (size_t g = 0; g < w->group_count; g++)
        if (sees_samples(w, g))
            collect_parts(made, ops, w->groups[g].operation);
    if (has_batch(made, w))
        return made->out_of_memory ? HABITAT_E_MEMORY : HABITAT_OK;
    return scale_sizes_look_in_rows(made, w, &made->without_batch);
}

void scale_sizes_free(scale_sizes *s) {
    if (!s)
        return;
    free(s->products);
    free(s->rows);
    free(s->parameters);
    free(s);
}

/* ---- one operation ---- */

/* The dimension of a tensor that carries the batch, or -1. moves: the operation works on tensors of
 * any meaning (element-wise, copies), so that the shape of a parameter is one. */
static int batch_dim(const scale_sizes *s, const habitat_input *input, bool moves) {
    uint32_t rank = input->rank;
    if (rank == 0 || ((moves || rank == 1) && is_parameter(s, rank, input->dims)))
        return -1;
    int at = s->without_batch ? -1 : plain_dim(s, input);
    if (at >= 0)
        return at;
    if (is_product(s, input->dims[0]))
        return 0;
    if (rank >= 2 && is_product(s, input->dims[1]) &&
        (rank > 2 || input->dims[1] == s->batch || is_row(s, input->dims[1])))
        return 1;
    return is_third(s, input) ? 2 : -1;
}

/* Samples in one row need not be of one size: what they have in all is no multiple of them. Nor is
 * a new batch of as many parts. What no memory holds stays as it is. */
static int64_t resized(const scale_sizes *s, uint64_t batch, int64_t size) {
    double grown = round((double)size * ((double)batch / (double)s->whole));
    if (!(grown < (double)largest) || (size % s->batch != 0 && !is_product(s, size)))
        return size;
    return size % s->whole == 0 ? size / s->whole * (int64_t)batch : (int64_t)fmax(1.0, grown);
}

static void rescale(const scale_sizes *s, uint64_t batch, scale_operation *out, uint32_t i,
                    uint32_t d) {
    out->in_a_row |= is_row(s, out->inputs[i].dims[d]);
    scale_set_dim(out, i, d, resized(s, batch, out->inputs[i].dims[d]));
}

static const habitat_input *matrix(const habitat_operation *op, uint32_t i) {
    bool there =
        i < op->form->input_count && op->form->inputs[i].is_tensor && !op->form->inputs[i].is_list;
    return there && op->form->inputs[i].rank == 2 ? &op->form->inputs[i] : NULL;
}

/* Operand a [m, k] at input i, and what it is multiplied with, [k, n] or [k], behind it. */
static void rescale_product(const scale_sizes *s, uint64_t batch, scale_operation *out,
                            uint32_t i) {
    const habitat_operation *op = &out->op;
    const habitat_input *a = matrix(op, i),
                        *b = i + 1 < op->form->input_count ? &op->form->inputs[i + 1] : NULL;
    if (!a || !b || !b->is_tensor || b->rank == 0)
        return;
    bool rows = is_product(s, a->dims[0]), inner = is_product(s, a->dims[1]);
    bool sums = inner && (!rows || transposed(a)) && !is_weight_of_groups(op, i + 1);
    if (rows && inner && !a->strides && b->rank == 2)
        sums = !is_parameter(s, 2, b->dims) &&
               !is_parameter(s, 2, (int64_t[]){b->dims[1], b->dims[0]});
    if (sums) {
        rescale(s, batch, out, i, 1);
        rescale(s, batch, out, i + 1, 0);
    } else if (rows) {
        rescale(s, batch, out, i, 0);
        if (i == 1 && out->inputs[0].rank == 2 && out->inputs[0].dims[0] == a->dims[0])
            rescale(s, batch, out, 0, 0);
    } else if (b->rank == 2 && is_product(s, b->dims[1])) {
        rescale(s, batch, out, i + 1, 1);
    }
}

static bool is_batched_product(const habitat_operation *op) {
    static const char *const names[] = {"bmm", "baddbmm", "baddbmm_", NULL};
    return named(op, names);
}

static bool joins_lists(const habitat_operation *op) {
    static const char *const names[] = {"cat", "_cat", "stack", "concat", NULL};
    return named(op, names);
}

/* A list of tensors: sizes are [rank, dims...] one after another. */
static void rescale_list(const scale_sizes *s, uint64_t batch, scale_operation *out, uint32_t i) {
    int64_t *group = (int64_t *)(size_t)(const void *)out->inputs[i].dims;
    for (uint32_t j = 0; group && j < out->inputs[i].list_count; j++) {
        habitat_input one = {.rank = (uint8_t)group[0], .dims = group + 1, .is_tensor = true};
        int at = batch_dim(s, &one, true);
        if (at >= 0) {
            out->in_a_row |= is_row(s, group[1 + at]);
            group[1 + at] = resized(s, batch, group[1 + at]);
            out->changed = true;
        }
        group += 1 + group[0];
    }
}

/* Whether an operation copies or changes rows of samples that lie turned: a matrix with samples in
 * its columns, of which a tensor with the same sizes tells by its strides. */
static bool has_turned_rows(const scale_sizes *s, const habitat_operation *op) {
    for (uint32_t i = 0; i < op->form->input_count; i++) {
        const habitat_input *a = matrix(op, i);
        if (a && transposed(a) && is_product(s, a->dims[1]) && !is_product(s, a->dims[0]) &&
            !is_parameter(s, 2, a->dims) &&
            !is_parameter(s, 2, (int64_t[]){a->dims[1], a->dims[0]}))
            return true;
    }
    return false;
}

void scale_by_shapes(const scale_sizes *s, uint64_t batch, scale_operation *out) {
    const habitat_operation *op = &out->op;
    habitat_work work = {.op_class = HABITAT_CLASS_OTHER};
    int operand = product_operand(op);
    if (operand >= 0) {
        rescale_product(s, batch, out, (uint32_t)operand);
        return;
    }
    habitat_operation_work(op, &work);
    bool moves = class_of(work.op_class)->by_element;
    bool turned = moves && has_turned_rows(s, op);
    for (uint32_t i = 0; i < op->form->input_count; i++) {
        const habitat_input *input = &out->inputs[i];
        if (input->is_list && joins_lists(op))
            rescale_list(s, batch, out, i);
        if (!input->is_tensor || input->is_list ||
            (is_parameter_input(op, i) &&
             !(looks_up_table(op) && !is_parameter(s, input->rank, input->dims))))
            continue;
        int at = batch_dim(s, input, moves);
        if (is_batched_product(op) && input->rank == 3 && !s->without_batch &&
            input->dims[0] % s->batch == 0)
            at = 0;
        if (at < 0 && turned && input->rank == 2 && is_product(s, input->dims[1]))
            at = 1;
        if (at >= 0)
            rescale(s, batch, out, i, (uint32_t)at);
    }
}
