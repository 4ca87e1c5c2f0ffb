/* The bytes of a GPU file. */
#include "gpu/entry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static habitat_status open_error(const char *path, const char *why, habitat_error *err) {
    return habitat_fail_at(err, HABITAT_E_IO, path, UINT64_MAX, 0,
                           "cannot open the GPU file or calibration: %s", why);
}

/* O_NONBLOCK: opening a pipe to which nobody writes would wait for ever; it means nothing to a
 * file. */
static habitat_status open_file(const char *path, bool regular_only, FILE **out,
                                habitat_error *err) {
    struct stat info;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | (regular_only ? O_NONBLOCK : 0));
    if (descriptor < 0)
        return habitat_fail_at(err, HABITAT_E_IO, path, UINT64_MAX, 0,
                               "cannot open the GPU file or calibration: %s; check the path",
                               strerror(errno));
    bool known = fstat(descriptor, &info) == 0;
    const char *why = !known                  ? strerror(errno)
                      : S_ISDIR(info.st_mode) ? "is a folder; name the file in it"
                      : regular_only && !S_ISREG(info.st_mode)
                          ? "a pipe or device, not a file; remove it"
                          : NULL;
    *out = why ? NULL : fdopen(descriptor, "rb");
    if (!*out) {
        close(descriptor);
        return why ? open_error(path, why, err)
                   : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    return HABITAT_OK;
}

habitat_status gpu_read_file(const char *path, bool regular_only, char **text, size_t *size,
                             habitat_error *err) {
    FILE *file = NULL;
    habitat_status status = open_file(path, regular_only, &file, err);
    if (status != HABITAT_OK)
        return status;
    char *data = malloc(GPU_FILE_BYTES + 2); /* one more than allowed tells a file too large */
    size_t got = data ? fread(data, 1, GPU_FILE_BYTES + 1, file) : 0;
    bool failed = ferror(file) != 0;
    fclose(file);
    if (!data || failed) {
        free(data);
        return data ? habitat_fail_at(err, HABITAT_E_IO, path, UINT64_MAX, 0,
                                      "cannot read the GPU file or calibration; check it")
                    : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    data[got] = '\0';
    *text = data;
    *size = got;
    return HABITAT_OK;
}
