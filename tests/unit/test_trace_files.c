/* Files that are no trace, or not what they seem: exact messages, and place. */
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <habitat/trace.h>

#include "trace/read.h"

#include "check.h"

static char folder[] = "/tmp/habitat-files-XXXXXX";
static char path[sizeof folder + 32];

static void write_file(const void *data, size_t size) {
    snprintf(path, sizeof path, "%s/trace", folder);
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(data, 1, size, f) == size);
    if (f)
        fclose(f);
}

static void check_fails(const char *file, habitat_status want, const char *message) {
    habitat_trace *t = NULL;
    habitat_error err = {0};
    CHECK_TEXT(habitat_status_name(habitat_trace_read(file, &t, &err)), habitat_status_name(want));
    CHECK_TEXT(err.message, message);
    CHECK_TEXT(err.file, file);
    CHECK(t == NULL);
    check_case(message);
}

/* A real iteration, cut down: tests/golden/traces/. */
static unsigned char *golden(size_t *size) {
    FILE *f =
        fopen(HABITAT_SOURCE_DIR "/tests/golden/traces/resnet50_b4_first_layers.json.gz", "rb");
    unsigned char *data = malloc(1 << 20);
    *size = f ? fread(data, 1, 1 << 20, f) : 0;
    CHECK(*size > 1000);
    if (f)
        fclose(f);
    return data;
}

static void check_good(const char *what) {
    habitat_trace *t = NULL;
    habitat_error err = {0};
    size_t count = 0;
    habitat_status status = habitat_trace_read(path, &t, &err);
    if (status != HABITAT_OK)
        printf("# %s\n", err.message);
    else
        habitat_trace_kernels(t, &count);
    CHECK(status == HABITAT_OK && count > 10);
    habitat_trace_free(t);
    check_case(what);
}

static void check_gzip(void) {
    size_t size, plain_size = 1 << 22;
    unsigned char *data = golden(&size), *plain = malloc(plain_size);
    z_stream z = {
        .next_in = data, .avail_in = (uInt)size, .next_out = plain, .avail_out = (uInt)plain_size};
    CHECK_INT(inflateInit2(&z, 31), Z_OK);
    CHECK_INT(inflate(&z, Z_FINISH), Z_STREAM_END);
    plain_size = z.total_out;
    inflateEnd(&z);
    write_file(data, size);
    check_good("gzip");
    write_file(plain, plain_size);
    check_good("the same, plain");

    write_file(data, size / 2);
    char message[256];
    habitat_trace *t = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_trace_read(path, &t, &err), HABITAT_E_PARSE);
    snprintf(message, sizeof message,
             "the gzip data is cut off (after %zu bytes of it); copy or record it again", size / 2);
    CHECK(strstr(err.message, message) != NULL && err.line == 1);
    check_case("gzip data cut off");

    data[size / 2] ^= 0x55;
    data[size / 2 + 1] ^= 0x55;
    write_file(data, size);
    CHECK_INT(habitat_trace_read(path, &t, &err), HABITAT_E_PARSE);
    CHECK(strstr(err.message, "the gzip data is corrupt") != NULL ||
          strstr(err.message, "not valid JSON here") != NULL);
    data[size / 2] ^= 0x55;
    data[size / 2 + 1] ^= 0x55;
    data[size - 6] ^= 1; /* the checksum alone */
    write_file(data, size);
    CHECK_INT(habitat_trace_read(path, &t, &err), HABITAT_E_PARSE);
    CHECK(strstr(err.message, "the gzip data is corrupt") != NULL);
    data[size - 6] ^= 1;
    check_case("gzip data corrupt, in the middle or in its checksum");

    memcpy(data + size, "garbage", 7);
    write_file(data, size + 7);
    CHECK_INT(habitat_trace_read(path, &t, &err), HABITAT_E_PARSE);
    CHECK(strstr(err.message, "trailing garbage behind the gzip data") != NULL);
    check_case("garbage behind gzip data");

    /* two members: the text split in the middle, as `cat a.gz b.gz` makes it */
    unsigned char *members = malloc(plain_size + 4096);
    size_t at = 0;
    for (int half = 0; half < 2; half++) {
        z_stream d = {0};
        size_t from = half ? plain_size / 2 : 0, to = half ? plain_size : plain_size / 2;
        CHECK_INT(deflateInit2(&d, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
        d.next_in = plain + from;
        d.avail_in = (uInt)(to - from);
        d.next_out = members + at;
        d.avail_out = (uInt)(plain_size + 4096 - at);
        CHECK_INT(deflate(&d, Z_FINISH), Z_STREAM_END);
        at += d.total_out;
        deflateEnd(&d);
    }
    write_file(members, at);
    check_good("gzip of two members");
    CHECK(t == NULL);
    free(members);
    free(plain);
    free(data);
}

static void check_limits(void) {
    write_file("[", 1);
    CHECK_INT(truncate(path, (off_t)1 << 31), 0); /* sparse: takes no room */
    check_fails(path, HABITAT_E_RANGE,
                "2147483648 bytes of JSON, more than the 2147483647 that are read; record fewer "
                "iterations");
    habitat_trace *t = NULL;
    habitat_error err = {0};
    size_t size;
    unsigned char *data = golden(&size);
    write_file(data, size);
    free(data);
    CHECK_INT(trace_read_limited(path, 50000, false, &t, &err), HABITAT_E_RANGE);
    CHECK(strstr(err.message, "unpacks to at least 66310 bytes of JSON, more than the 49999 that "
                              "are read; record fewer iterations") != NULL);
    CHECK(t == NULL);
    check_case("2 GiB and more, also when only unpacking shows it");
}

/* Root may read everything, so a child gives that up first. */
static void check_forbidden(void) {
    CHECK(chmod(folder, 0755) == 0 && chmod(path, 0) == 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        habitat_trace *t = NULL;
        habitat_error err = {0};
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(2);
        bool fine = habitat_trace_read(path, &t, &err) == HABITAT_E_IO &&
                    !strcmp(err.message, "cannot open it: Permission denied; check its "
                                         "permissions");
        _exit(!fine);
    }
    int result = -1;
    CHECK(child > 0 && waitpid(child, &result, 0) == child && result == 0);
    CHECK_INT(chmod(path, 0600), 0);
    check_case("a file that may not be read");
}

static void check_paths(void) {
    char missing[sizeof folder + 32];
    snprintf(missing, sizeof missing, "%s/missing.json", folder);
    check_fails(missing, HABITAT_E_IO, "cannot open it: No such file or directory; check the path");
    check_fails(folder, HABITAT_E_IO, "a directory, not a trace; name the file inside it");
    write_file("", 0);
    check_fails(path, HABITAT_E_FORMAT,
                "line 1, byte 0: the file is empty; export it with torch.profiler or 'habitat "
                "record'");
    check_forbidden();
}

static void check_digest(void) {
    static const char json[] =
        "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":1,\"dur\":2}]";
    habitat_trace *t = NULL;
    habitat_error err = {0};
    char hex[65] = "untouched";
    write_file(json, sizeof json - 1);
    CHECK_INT(habitat_trace_read(path, &t, &err), HABITAT_OK);
    CHECK_INT(habitat_trace_sha256(t, hex, &err), HABITAT_OK);
    /* printf '...' | sha256sum */
    CHECK_TEXT(hex, "d8c25a37206acf41c78f179b2c129a51bef33e2200088a3d640a79759d2f9bdd");
    write_file("[1]", 3);
    strcpy(hex, "untouched");
    CHECK_INT(habitat_trace_sha256(t, hex, &err), HABITAT_E_IO);
    CHECK_TEXT(err.message, "the file changed since it was read; read it again");
    CHECK_TEXT(hex, "untouched");
    habitat_trace_free(t);
    CHECK_INT(habitat_trace_read_memory(json, sizeof json - 1, "m", &t, &err), HABITAT_OK);
    CHECK_INT(habitat_trace_sha256(t, hex, &err), HABITAT_E_UNSUPPORTED);
    habitat_trace_free(t);
    check_case("the digest is of the file that was read, or an error");
}

int main(void) {
    if (!mkdtemp(folder))
        return 1;
    check_paths();
    check_gzip();
    check_limits();
    check_digest();
    unlink(path);
    rmdir(folder);
    return check_done();
}
