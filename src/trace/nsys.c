/* Nsight Systems exports are told apart, and refused. */
#include "trace/nsys.h"
#include "base/error.h"
habitat_status nsys_read(const char *path, uint64_t stored_bytes, int64_t modified_ns,
                         habitat_trace **out, habitat_error *err) {
    (void)stored_bytes;
    (void)modified_ns;
    (void)out;
    return habitat_fail_at(err, HABITAT_E_UNSUPPORTED, path, UINT64_MAX, 0,
                           "an SQLite database, not JSON; export the trace with torch.profiler or "
                           "'habitat record'");
}
