/* What an operation keeps for its backward operation: tensors count once, whoever keeps them. */
#include "memory/call.h"

/* inside: made where it is kept. A checkpoint lets go of that, and not of what it was given. */
void memory_call_keep_bytes(memory_call *c, double bytes, bool inside) {
    c->step.kept += bytes;
    c->step.kept_again += c->step.again_ns && inside ? bytes : 0;
}

void memory_call_keep(memory_call *c, uint32_t tensor, double bytes) {
    memory_tensors *t = &c->w->tensors;
    memory_tensor *base = &t->all[t->all[tensor].base];
    double more = (bytes - base->kept_bytes) * base->elements;
    if (!c->kept || !(more > 0))
        return;
    base->kept_bytes = bytes;
    if (base->weight)
        c->step.casts += more;
    else
        memory_call_keep_bytes(c, more, base->again_ns == c->step.again_ns);
}
