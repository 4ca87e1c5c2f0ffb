/* How quick a thread is when nothing holds its core up; see thread_speed.h and docs/decisions/0306.
 *
 * A thread that shares its core, or is moved to one that does, is two to four times as slow from
 * one moment to the next, and as quick as before some milliseconds later. A median over the whole
 * recording is then that of whichever state lasted longer. What is compared are leaves of one name
 * with each other: a part of the program that is made of long operations is not slow. */
#include "replay/thread_speed.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/constants_replay.h"
#include "base/quantile.h"

enum {
    WINDOW = 100, /* leaves: about 2 ms; their median is known to a few percent */
    FEWEST = 8,   /* of a name, to know what is usual of it */
};

typedef struct ranked {
    const char *name;
    double ns;
    size_t place;
} ranked;

static int by_name_and_time(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    uintptr_t first = (uintptr_t)x->name, second = (uintptr_t)y->name;
    if (first != second)
        return first < second ? -1 : 1;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

/* How many times as long as the usual one of its name each leaf took; NaN where that is not known.
 */
static void compare(ranked *order, size_t count, double *ratios) {
    qsort(order, count, sizeof *order, by_name_and_time);
    for (size_t i = 0, to = 0; i < count; i = to) {
        for (to = i; to < count && order[to].name == order[i].name; to++)
            continue;
        double usual = 0.5 * (order[i + (to - i - 1) / 2].ns + order[i + (to - i) / 2].ns);
        bool known = to - i >= FEWEST && usual > 0.0;
        for (size_t k = i; k < to; k++)
            ratios[order[k].place] = known ? order[k].ns / usual : NAN;
    }
}

/* The median of each window, in place of the ratios; their number. */
static size_t medians(double *ratios, size_t count) {
    double window[WINDOW];
    size_t filled = 0, made = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(ratios[i]))
            continue;
        window[filled++] = ratios[i];
        if (filled < WINDOW)
            continue;
        habitat_sort_numbers(window, WINDOW);
        ratios[made++] = habitat_quantile(window, WINDOW, 0.5);
        filled = 0;
    }
    return made;
}

bool replay_thread_speed(const replay_leaf *leaves, size_t count, double *out) {
    *out = 1.0;
    if (count < WINDOW)
        return true;
    ranked *order = malloc(count * sizeof *order);
    double *ratios = malloc(count * sizeof *ratios);
    bool fine = order && ratios;
    if (fine) {
        for (size_t i = 0; i < count; i++)
            order[i] = (ranked){leaves[i].name, leaves[i].ns, i};
        compare(order, count, ratios);
        size_t windows = medians(ratios, count);
        habitat_sort_numbers(ratios, windows);
        if (windows)
            *out = fmin(1.0, habitat_quantile(ratios, windows, chosen_replay_quick_windows));
    }
    free(order);
    free(ratios);
    return fine;
}
