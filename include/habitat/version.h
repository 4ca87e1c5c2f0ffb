/* Version of the library, from the file VERSION at the repository's root.
 *
 * Half: stable.
 * Units: none.
 * Ownership: a static text.
 * Errors: none.
 * Threads: pure; safe from several threads. */
#ifndef HABITAT_VERSION_H
#define HABITAT_VERSION_H

#include <habitat/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the loaded library, e.g. "0.1.0".
 * @return static string.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const char *habitat_version(void);

#ifdef __cplusplus
}
#endif
#endif
