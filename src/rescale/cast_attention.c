/* See cast_attention.h. Whether it becomes one kernel: scale_attention.h. */
#include "rescale/cast_attention.h"

#include "rescale/cast_inputs.h"
#include "rescale/scale_attention.h"
#include "work/args.h"

/* The one kernel that parts become, forward or back: at the first of them. Where a layer is run
 * again for its gradient, only the second time has one. */
static void fuse(caster *c, uint32_t op, bool gradient) {
    habitat_work forward, backward;
    bool *done = gradient ? &c->fused_back[op] : &c->parts_seen[op];
    if (*done || !scale_fuses_attention(&c->ops[op], c->w->origin, c->narrow, &forward, &backward))
        return;
    *done = true;
    if (gradient) {
        added_work(&c->added, "aten::_scaled_dot_product_flash_attention_backward", &backward);
        return;
    }
    added_work(&c->added, "aten::_scaled_dot_product_flash_attention", &forward);
    tensor_sizes_note(&c->sizes, work_elements(&c->ops[op].form->inputs[0]), c->narrow);
}

static bool fuses(const caster *c, uint32_t op) {
    habitat_work forward, backward;
    return scale_fuses_attention(&c->ops[op], c->w->origin, c->narrow, &forward, &backward);
}

static void add_parts_cast(caster *c, double elements, bool widens, bool gradient) {
    cast_add(c, elements, widens ? c->narrow : HABITAT_DTYPE_FP32,
             widens ? HABITAT_DTYPE_FP32 : c->narrow, false, gradient);
}

/* Parts that stay parts compute in fp32 from inputs in 16 bit, and give 16 bit: scale_attention.h.
 * The gradient of a mask is the sum's, cast. */
static void stay_in_parts(caster *c, uint32_t op) {
    scale_attention_sizes sizes;
    bool gradient = !c->again[op];
    if (c->parts_seen[op] || !scale_attention_in_parts(&c->ops[op], &sizes))
        return;
    c->parts_seen[op] = true;
    for (uint32_t i = 0; i < SCALE_ATTENTION_MASK; i++)
        add_parts_cast(c, sizes.inputs[i], true, gradient);
    add_parts_cast(c, sizes.scores, false, false);
    add_parts_cast(c, sizes.result, false, gradient);
    if (c->trains && gradient)
        added_bytes(&c->added, "aten::_to_copy", sizes.learned_mask, SINGLE_BYTES, HALF_BYTES,
                    HABITAT_CLASS_COPY);
    tensor_sizes_note(&c->sizes, sizes.result, c->narrow);
}

bool cast_attend(caster *c, uint32_t op, bool gradient, uint32_t forward_op, scale_group *out) {
    uint32_t parts = c->parts[gradient ? forward_op : op];
    autocast_policy policy;
    if (parts == HABITAT_NONE)
        return false;
    if (fuses(c, parts)) {
        fuse(c, parts, gradient);
        out->source = SCALE_GONE;
    } else if (!gradient) {
        uint32_t around = cast_listed_around(c, parts, &policy);
        c->beside.latest = HABITAT_DTYPE_UNKNOWN;
        cast_inputs_of(c, around, policy, c->narrow);
        stay_in_parts(c, parts);
    }
    return true;
}
