/* habitat: entry of the command line; hands over to one cmd_<verb>.c. */
#include <stdio.h>

#include <habitat/habitat.h>

int main(void) {
    printf("habitat %s\n", habitat_version());
    return 0;
}
