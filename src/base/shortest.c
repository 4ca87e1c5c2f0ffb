/* Numbers as short texts: the fewest digits that read back as the same double. */
#include "base/shortest.h"

#include <math.h>
#include <string.h>

#include <habitat/text.h>

#include "base/decimal.h"

enum { FEWEST = 15, MOST = 17 /* tell every double from its neighbours */ };

void habitat_shortest(double value, char *text) {
    decimal exact, cut;
    if (!isfinite(value)) {
        habitat_format(text, 32, "%g", value);
        return;
    }
    decimal_from_double(value, &exact);
    char *digits = text + (signbit(value) ? 1 : 0);
    *text = '-';
    for (int count = FEWEST; count <= MOST; count++) {
        double back = NAN;
        memcpy(&cut, &exact, offsetof(decimal, digits) + (size_t)exact.count);
        size_t length = decimal_general(&cut, count, digits);
        if (count == MOST || (decimal_read(digits, length, &back) && back == fabs(value)))
            return;
    }
}
