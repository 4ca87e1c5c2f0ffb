/* Numbers as short texts. */
#ifndef HABITAT_BASE_SHORTEST_H
#define HABITAT_BASE_SHORTEST_H

/* Shortest of 15, 16 or 17 digits that reads back as the same double. `text` holds 32. */
void habitat_shortest(double value, char *text);

#endif
