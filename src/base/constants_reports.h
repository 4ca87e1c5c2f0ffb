/* What reports and warnings call worth saying. No predicted time goes by these. */
#ifndef HABITAT_BASE_CONSTANTS_REPORTS_H
#define HABITAT_BASE_CONSTANTS_REPORTS_H

#include "base/constant.h"

/* clang-format off */

CONSTANT(chosen, said_near, 1.15, "either way", "a ratio of times so near to that of a rate is said to follow it")
CONSTANT(chosen, said_same, 0.01, "of the effect", "below it a class's effect is the reason's own, and not said again")
CONSTANT(chosen, said_negligible, 0.01, "of a row's time", "kernels without a count that take no more leave the row's sum a count of the row")
CONSTANT(chosen, said_rate_apart, 0.005, "of the iteration", "samples per second, and ratios, to another iteration than the one beside them: more than the three digits shown round away")
CONSTANT(chosen, said_data_ms, 0.05, "ms", "half of the last digit that a total shows: less is not named as a part of it")
CONSTANT(chosen, shown_room_digit, 0.95, "GB", "less memory that is missing rounds to nothing without a decimal")
CONSTANT(chosen, shown_room_digits, 0.095, "GB", "as shown_room_digit, with one decimal")
CONSTANT(chosen, shown_cent, 0.01, "$", "a smaller price takes two decimals more")
CONSTANT(chosen, old_price_days, 180, "days", "half a year: older ones are said to be old")
CONSTANT(chosen, current_price_days, 365, "days", "a price is current if it is at most so much older than the newest of all")

CONSTANT(chosen, shortest_node_ns, 500.0, "ns", "Chakra: a way that is longer than its nodes by less is not worth a node of its own")

/* clang-format on */

#endif
