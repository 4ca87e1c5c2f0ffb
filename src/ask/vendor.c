/* Vendors of GPUs; see vendor.h. */
#include "ask/vendor.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "gpu/gpu.h"

static bool same_word(const char *a, const char *b) {
    for (; *a && *b; a++, b++)
        if ((*a | 0x20) != (*b | 0x20))
            return false;
    return *a == *b;
}

bool vendor_is_any(const char *vendor) {
    return same_word(vendor, "any");
}

bool vendor_takes(const char *vendor, const habitat_gpu *gpu) {
    return vendor_is_any(vendor) || same_word(vendor, gpu->vendor);
}

habitat_status vendor_check(const habitat_answer *what, const char *vendor, const char *word,
                            habitat_error *err) {
    char known[128] = "";
    for (size_t i = 0; i < what->row_count; i++) {
        const char *other = what->rows[i].key.gpu->vendor;
        size_t used = strlen(known);
        if (vendor_takes(vendor, what->rows[i].key.gpu))
            return HABITAT_OK;
        if (!strstr(known, other))
            snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", other);
    }
    if (!what->row_count)
        return HABITAT_OK;
    return habitat_fail(err, HABITAT_E_ARG,
                        "%s: \"%.40s\" made none of the GPUs asked for; choose %s", word, vendor,
                        known);
}
