/* SHA-256 of files and bytes, by OpenSSL's libcrypto.
 *
 * Its older functions, on a context of ours: they need no memory, so they cannot fail for want of
 * it. The newer ones (EVP) start the whole library first, with thousands of allocations, not all of
 * them looked at. docs/decisions/0096-hashing-without-memory.md */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "trace/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/sha.h>

#include "base/error.h"

static void finish(SHA256_CTX *digest, char out[65]) {
    unsigned char bytes[SHA256_DIGEST_LENGTH];
    SHA256_Final(bytes, digest);
    for (unsigned i = 0; i < sizeof bytes; i++)
        snprintf(out + 2 * (size_t)i, 3, "%02x", bytes[i]);
}

struct sha256_sum {
    SHA256_CTX digest;
};

sha256_sum *sha256_begin(void) {
    sha256_sum *sum = malloc(sizeof *sum);
    if (sum)
        SHA256_Init(&sum->digest);
    return sum;
}

void sha256_add(sha256_sum *sum, const void *data, size_t size_bytes) {
    SHA256_Update(&sum->digest, data, size_bytes);
}

void sha256_end(sha256_sum *sum, char out[65]) {
    finish(&sum->digest, out);
}

void sha256_free(sha256_sum *sum) {
    free(sum);
}

static bool unchanged(int file, uint64_t size_bytes, int64_t modified_ns) {
    struct stat facts;
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode))
        return false;
    return (uint64_t)facts.st_size == size_bytes &&
           (int64_t)facts.st_mtim.tv_sec * 1000000000 + (int64_t)facts.st_mtim.tv_nsec ==
               modified_ns;
}

/* Feeds an open file to `digest`; bytes read, or UINT64_MAX when reading failed. */
static uint64_t add_file(SHA256_CTX *digest, int file) {
    unsigned char piece[1 << 15];
    uint64_t total = 0;
    ssize_t got;
    while ((got = read(file, piece, sizeof piece)) > 0) {
        SHA256_Update(digest, piece, (size_t)got);
        total += (uint64_t)got;
    }
    return got < 0 ? UINT64_MAX : total;
}

habitat_status sha256_file(const char *path, uint64_t size_bytes, int64_t modified_ns, char out[65],
                           habitat_error *err) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* never waits for a pipe */
    if (file < 0)
        return habitat_fail_at(err, HABITAT_E_IO, path, UINT64_MAX, 0,
                               "cannot open it again: %s; check the file and try again",
                               strerror(errno));
    SHA256_CTX digest;
    SHA256_Init(&digest);
    bool same = unchanged(file, size_bytes, modified_ns) && add_file(&digest, file) == size_bytes;
    close(file);
    if (!same)
        return habitat_fail_at(err, HABITAT_E_IO, path, UINT64_MAX, 0,
                               "the file changed since it was read; read it again");
    finish(&digest, out);
    return HABITAT_OK;
}
