/* See date.h. */
#include "base/date.h"

#include <stddef.h>

#include "base/letter.h"

/* Two digits from 1 to `most` behind a '-'; 0 if there are none. */
static int part_of_date(const char *text, int most) {
    if (text[0] != '-' || !letter_is_digit(text[1]) || !letter_is_digit(text[2]))
        return 0;
    int value = 10 * (text[1] - '0') + text[2] - '0';
    return value <= most ? value : 0;
}

static int days_of(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

bool date_read(const char *text, int *year, int *month, int *day) {
    *year = 0;
    *month = *day = 1;
    for (int i = 0; i < 4; i++) {
        if (!text || !letter_is_digit(text[i]))
            return false;
        *year = 10 * *year + text[i] - '0';
    }
    if (text[4] == '\0')
        return true;
    *month = part_of_date(text + 4, 12);
    if (!*month || text[7] == '\0')
        return *month != 0;
    *day = part_of_date(text + 7, days_of(*year, *month));
    return *day && text[10] == '\0';
}
