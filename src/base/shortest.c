/* Numbers as short texts: the fewest digits that read back as the same double. */
#include "base/shortest.h"

#include <math.h>

#include <habitat/text.h>

#include "base/decimal.h"

void habitat_shortest(double value, char *text) {
    for (int digits = 15; digits <= 17; digits++) {
        double back = NAN;
        int length = habitat_format(text, 32, "%.*g", digits, value);
        if (length > 0 && decimal_read(text, (size_t)length, &back) && back == value)
            return;
    }
}
