/* Threads whose core was held up for a part of the recording, worked by hand; see
 * src/replay/thread_speed.c. Times in microseconds. */
#include "replay/thread_speed.h"

#include "check.h"

enum { MANY = 1000, FEW = 7 };

static const char names[] = "abcdefghijk"; /* of leaves: their addresses */

/* So many leaves of one name and length more. */
static size_t add(replay_leaf *leaves, size_t count, size_t more, unsigned name, double ns) {
    for (size_t i = 0; i < more; i++)
        leaves[count + i] = (replay_leaf){&names[name], ns};
    return count + more;
}

static double share_of(const replay_leaf *leaves, size_t count) {
    double share = 0.0;
    CHECK(replay_thread_speed(leaves, count, &share));
    return share;
}

static void test_share(void) {
    replay_leaf leaves[MANY];
    size_t count = add(leaves, 0, 400, 0, 10.0);
    CHECK_NEAR(share_of(leaves, add(leaves, count, 500, 0, 30.0)), 1.0 / 3.0, 1e-12);
    check_case("a thread that was quick before it was held up is as quick as that");
    /* one window of nine: a tenth is 0.8 of the way from it to the next */
    count = add(leaves, 0, 100, 0, 10.0);
    CHECK_NEAR(share_of(leaves, add(leaves, count, 800, 0, 30.0)), 0.2 / 3.0 + 0.8, 1e-12);
    check_case("a short quick part says little");
    count = add(leaves, 0, 700, 0, 10.0);
    CHECK_NEAR(share_of(leaves, add(leaves, count, 200, 0, 30.0)), 1.0, 0.0);
    check_case("a thread that was held up for less than half is as quick as its median says");
    count = add(leaves, 0, 400, 0, 10.0);
    CHECK_NEAR(share_of(leaves, add(leaves, count, 500, 1, 30.0)), 1.0, 0.0);
    check_case("a part of long operations is not slow");
}

static void test_too_few(void) {
    replay_leaf leaves[MANY];
    size_t count = add(leaves, 0, 40, 0, 10.0);
    CHECK_NEAR(share_of(leaves, 0), 1.0, 0.0);
    CHECK_NEAR(share_of(leaves, add(leaves, count, 59, 0, 30.0)), 1.0, 0.0);
    check_case("less than a window says nothing");
    count = add(leaves, 0, 40, 0, 10.0);
    for (unsigned i = 1; i <= 10; i++) /* 110 in all: with these 70, a window */
        count = add(leaves, count, FEW, i, i % 2 ? 10.0 : 30.0);
    count = add(leaves, count, 50, 0, 30.0);
    CHECK_NEAR(share_of(leaves, count), 1.0, 0.0);
    CHECK_NEAR(share_of(leaves, add(leaves, 0, 300, 0, 0.0)), 1.0, 0.0);
    check_case("names met a few times and times of 0 are not compared");
}

int main(void) {
    test_share();
    test_too_few();
    return check_done();
}
