/* From an operation's name to its work: the table, then the families that share a prefix. */
#include "trace/names.h"
#include "work/rule.h"
#include "work/class.h"
#include "work/container.h"

#include <math.h>
#include <string.h>

/* Names that say a class (and that nothing can be counted) by how they begin or what they hold. */
static const struct family {
    const char *prefix;
    habitat_class op_class;
    habitat_pass pass;
} families[] = {
    {"FlashAttn", HABITAT_CLASS_ATTENTION, HABITAT_PASS_FORWARD},
    {"flash_attn", HABITAT_CLASS_ATTENTION, HABITAT_PASS_FORWARD},
    {"nccl:", HABITAT_CLASS_COLLECTIVE, HABITAT_PASS_FORWARD},
    {"c10d::", HABITAT_CLASS_COLLECTIVE, HABITAT_PASS_FORWARD},
    {"_c10d_functional::", HABITAT_CLASS_COLLECTIVE, HABITAT_PASS_FORWARD},
};

static bool ends_with(const char *text, size_t length, const char *end) {
    size_t n = strlen(end);
    return length > n && !memcmp(text + length - n, end, n);
}

/* "_native_layer_norm_backward" -> "layer_norm": pass and library are told elsewhere. */
static void derive_kind(char kind[24], const char *name) {
    static const char *const before[] = {"_native_", "native_", "cudnn_", "miopen_", "_"};
    static const char *const after[] = {"_backward_data", "_backward", "_forward"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        size_t n = strlen(before[i]);
        if (length > n && !memcmp(name, before[i], n)) {
            name += n;
            length -= n;
            break;
        }
    }
    while (length > 1 && name[length - 1] == '_')
        length--;
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        if (ends_with(name, length, after[i])) {
            length -= strlen(after[i]);
            break;
        }
    work_copy_kind(kind, name, length);
}

static habitat_work blank(habitat_class op_class, habitat_pass pass) {
    habitat_work work;
    memset(&work, 0, sizeof work);
    work.op_class = op_class;
    work.pass = pass;
    work.varying = class_of(op_class)->varying;
    work.flop = work.read_bytes = work.write_bytes = NAN;
    return work;
}

/* Sizes must not be negative and pointers must be there, or nothing can be counted safely. */
static habitat_status check_inputs(const habitat_operation *op) {
    if (op->form->input_count && !op->form->inputs)
        return HABITAT_E_ARG;
    for (uint32_t i = 0; i < op->form->input_count; i++) {
        const habitat_input *input = &op->form->inputs[i];
        if (input->is_list) {
            const int64_t *group = input->dims;
            for (uint32_t j = 0; group && j < input->list_count; j++) {
                if (group[0] < 0 || group[0] > 255)
                    return HABITAT_E_RANGE;
                for (int64_t d = 0; d < group[0]; d++)
                    if (group[1 + d] < 0)
                        return HABITAT_E_RANGE;
                group += 1 + group[0];
            }
            continue;
        }
        if (input->rank && !input->dims)
            return HABITAT_E_ARG;
        for (uint32_t d = 0; d < input->rank; d++)
            if (input->dims[d] < 0)
                return HABITAT_E_RANGE;
    }
    return HABITAT_OK;
}

static bool countable(double value) {
    return isfinite(value) && value >= 0;
}

static void settle(habitat_work *work) {
    work->known =
        countable(work->flop) && countable(work->read_bytes) && countable(work->write_bytes);
}

/* The launcher of a Triton kernel is recorded under the kernel's name. */
static habitat_status by_triton(const char *name, habitat_work *out) {
    const habitat_kernel_form form = {.name = name, .dram_bytes = NAN, .flop = NAN};
    const habitat_kernel kernel = {.form = &form};
    habitat_work work;
    habitat_status status = habitat_kernel_work(&kernel, &work);
    if (status != HABITAT_OK || work.op_class == HABITAT_CLASS_OTHER)
        return HABITAT_E_UNSUPPORTED;
    *out = blank(work.op_class, work.pass);
    out->varying = work.varying;
    work_copy_kind(out->kind, name, strlen(name));
    return HABITAT_OK;
}

static habitat_status by_family(const char *name, habitat_work *out) {
    if (!strncmp(name, "triton_", 7))
        return by_triton(name, out);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (strncmp(name, families[i].prefix, strlen(families[i].prefix)) != 0)
            continue;
        *out = blank(families[i].op_class, families[i].pass);
        if (families[i].op_class == HABITAT_CLASS_ATTENTION && strstr(name, "ackward"))
            out->pass = HABITAT_PASS_BACKWARD;
        work_copy_kind(out->kind, name, strcspn(name, "#:"));
        return HABITAT_OK;
    }
    return HABITAT_E_UNSUPPORTED;
}

/* aten::_foreach_add_: class of the optimisers that are their main user. */
static habitat_status by_foreach(const work_call *call, const char *base, habitat_work *out) {
    bool in_place;
    const work_rule *element = work_rule_find(base, strlen(base), &in_place);
    *out = blank(HABITAT_CLASS_OPTIMIZER, HABITAT_PASS_OPTIMIZER);
    out->kind[0] = 0;
    derive_kind(out->kind, base);
    work_foreach(call, element, out);
    settle(out);
    return HABITAT_OK;
}

habitat_status habitat_operation_work_typed(const habitat_operation *op, habitat_dtype list_dtype,
                                            habitat_work *out) {
    if (!op || !out || !op->form || !op->form->name)
        return HABITAT_E_ARG;
    habitat_status status = check_inputs(op);
    if (status != HABITAT_OK)
        return status;
    if (work_is_container(op->form->name))
        return HABITAT_E_UNSUPPORTED;
    const char *name = name_bare(op->form->name);
    for (uint32_t i = 0; !list_dtype && i < op->form->input_count; i++)
        if (op->form->inputs[i].is_list)
            list_dtype = op->form->inputs[i].dtype;
    work_call call = {.op = op, .count = op->form->input_count, .list_dtype = list_dtype};
    if (!strncmp(name, "_foreach_", 9))
        return by_foreach(&call, name + 9, out);
    const work_rule *rule = work_rule_find(name, strlen(name), &call.in_place);
    if (!rule)
        return by_family(op->form->name, out);
    call.rule = rule;
    if (rule->arity && call.count == (uint32_t)rule->arity + 1 && work_tensor(op, rule->arity))
        call.count--; /* add.out(self, other, alpha, out) */
    habitat_work work = blank(rule->op_class, rule->pass);
    if (rule->kind)
        work_set_kind(&work, rule->kind);
    else
        derive_kind(work.kind, rule->name);
    if (rule->handler)
        rule->handler(&call, &work);
    settle(&work);
    *out = work;
    return HABITAT_OK;
}

habitat_status habitat_operation_work(const habitat_operation *op, habitat_work *out) {
    return habitat_operation_work_typed(op, HABITAT_DTYPE_UNKNOWN, out);
}
