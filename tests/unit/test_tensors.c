/* Tensors found again by their number of elements (memory/tensors.c), on lists made by hand. */
#include "memory/tensors.h"

#include <stdlib.h>

#include "check.h"

/* A tensor of so many elements in fp32 that is read or not. */
static memory_tensor of(double elements) {
    return (memory_tensor){.elements = elements,
                           .element_bytes = 4,
                           .base = HABITAT_NONE,
                           .made_ns = UINT64_MAX,
                           .used_ns = UINT64_MAX};
}

static uint32_t add(memory_tensors *t, memory_tensor tensor) {
    CHECK(memory_tensors_add(t, &tensor));
    return t->count - 1;
}

static void check_newest(void) {
    memory_tensors t = {0};
    CHECK_INT(memory_tensors_find(&t, 10, 0, PREFER_NEWEST, NULL, 0), HABITAT_NONE);
    uint32_t a = add(&t, of(10)), other = add(&t, of(20)), b = add(&t, of(10));
    CHECK_INT(t.all[a].before, HABITAT_NONE);
    CHECK_INT(t.all[b].before, a);
    CHECK_INT(t.all[b].base, b);
    CHECK_INT(memory_tensors_find(&t, 10, 0, PREFER_NEWEST, NULL, 0), b);
    CHECK_INT(memory_tensors_find(&t, 10, 0, PREFER_NEWEST, &b, 1), a);
    CHECK_INT(memory_tensors_find(&t, 20, 0, PREFER_NEWEST, &b, 1), other);
    CHECK_INT(memory_tensors_find(&t, 30, 0, PREFER_NEWEST, NULL, 0), HABITAT_NONE);
    uint32_t both[] = {a, b};
    CHECK_INT(memory_tensors_find(&t, 10, 0, PREFER_NEWEST, both, 2), HABITAT_NONE);
    memory_tensors_free(&t);
    CHECK_INT(t.count, 0);
    check_case("the newest of a size that is not in use");
}

static void check_preferences(void) {
    memory_tensors t = {0};
    memory_tensor stream = of(10), projected = of(10), multiple = of(10), square = of(10);
    stream.stream = stream.read = true;
    projected.projected = projected.read = true;
    multiple.multiple = true;
    square.square = square.read = true;
    uint32_t s = add(&t, stream), p = add(&t, projected), m = add(&t, multiple);
    uint32_t q = add(&t, square);
    /* the square was read: of no use after that, though it is the newest */
    CHECK_INT(memory_tensors_find(&t, 10, 0, PREFER_NEWEST, NULL, 0), m);
    CHECK_INT(memory_tensors_find(&t, 10, 0, PREFER_STREAM, NULL, 0), s);
    CHECK_INT(memory_tensors_find(&t, 10, 0, PREFER_UNREAD, NULL, 0), m);
    CHECK_INT(memory_tensors_find(&t, 10, 0, PREFER_WHOLE, NULL, 0), p);
    CHECK_INT(memory_tensors_find(&t, 10, 0, PREFER_UNPROJECTED, &m, 1), s);
    uint32_t others[] = {s, p, m}; /* where nothing else is left, it is taken all the same */
    CHECK_INT(memory_tensors_find(&t, 10, 0, PREFER_NEWEST, others, 3), q);
    memory_tensors_free(&t);
    check_case("what an operation rather takes goes before the newest");
}

static void check_formats(void) {
    memory_tensors t = {0};
    memory_tensor half = of(10);
    half.element_bytes = 2;
    uint32_t h = add(&t, half), single = add(&t, of(10));
    CHECK_INT(memory_tensors_find(&t, 10, 2, PREFER_NEWEST, NULL, 0), h);
    CHECK_INT(memory_tensors_find(&t, 10, 8, PREFER_NEWEST, NULL, 0),
              single); /* none: the newest */
    CHECK(memory_tensors_have(&t, 10, 2) && memory_tensors_have(&t, 10, 0));
    CHECK(!memory_tensors_have(&t, 10, 8) && !memory_tensors_have(&t, 11, 0));
    for (int i = 0; i < 62; i++) /* it looks at 64 of a size and no further back */
        add(&t, of(10));
    CHECK(memory_tensors_have(&t, 10, 2));
    CHECK_INT(memory_tensors_find(&t, 10, 2, PREFER_NEWEST, NULL, 0), h);
    add(&t, of(10));
    CHECK(!memory_tensors_have(&t, 10, 2));
    CHECK_INT(memory_tensors_find(&t, 10, 2, PREFER_NEWEST, NULL, 0), t.count - 1);
    memory_tensors_free(&t);
    check_case("bytes of an element tell tensors of one size apart");
}

static void check_many(void) {
    memory_tensors t = {0};
    for (uint32_t i = 0; i < 3000; i++) /* grows twice: 1024, 2048, 4096 */
        add(&t, of(1 + i % 1500));
    CHECK_INT(t.count, 3000);
    CHECK_INT(memory_tensors_find(&t, 1, 0, PREFER_NEWEST, NULL, 0), 1500);
    CHECK_INT(memory_tensors_find(&t, 1500, 0, PREFER_NEWEST, NULL, 0), 2999);
    CHECK_INT(t.all[2999].before, 1499);
    memory_tensors_free(&t);
    check_case("lists grow and stay what they are");
}

static void check_waits(void) {
    memory_tensors t = {0};
    memory_steps steps = {0};
    memory_tensor a = of(10), b = of(20), weight = of(30);
    a.made_ns = 900; /* its own backward operation comes at 900, */
    b.made_ns = weight.made_ns = 500;
    weight.weight = true;
    uint32_t i = add(&t, a), k = add(&t, b), w = add(&t, weight);
    memory_tensor_use(&t.all[i], 700);
    memory_tensor_use(&t.all[i], 300); /* the first gradient is there from 300 on */
    memory_tensor_use(&t.all[i], 400);
    memory_tensor_use(&t.all[k], 600); /* behind what made it: nothing waits */
    memory_tensor_use(&t.all[w], 100); /* weights grow nothing */
    CHECK(memory_tensors_list_waits(&t, &steps));
    CHECK_INT(steps.wait_count, 1);
    memory_wait wanted = {300, 900, 40}; /* 10 elements of 4 byte */
    CHECK(memcmp(&steps.waits[0], &wanted, sizeof wanted) == 0);
    free(steps.waits);
    memory_tensors_free(&t);
    check_case("gradients wait from their first use to what made the tensor");
}

static void check_sizes(void) {
    habitat_table sizes = {0};
    habitat_parameter all[] = {{.elements = 100}, {.elements = 7}, {.elements = 100}};
    habitat_trace_memory noted = {.parameters = all, .parameter_count = 3};
    CHECK(memory_sizes_note(&sizes, &noted));
    CHECK(memory_sizes_have(&sizes, &noted, 100) && memory_sizes_have(&sizes, &noted, 7));
    CHECK(!memory_sizes_have(&sizes, &noted, 8) && !memory_sizes_have(&sizes, &noted, 1e19));
    habitat_table_free(&sizes);
    check_case("sizes of weights are those noted");
}

int main(void) {
    check_newest();
    check_preferences();
    check_formats();
    check_many();
    check_waits();
    check_sizes();
    return check_done();
}
