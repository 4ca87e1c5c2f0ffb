/* SHA-256 of files and bytes, by OpenSSL's libcrypto. */
#include "trace/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "base/error.h"

static bool finish(EVP_MD_CTX *digest, char out[65]) {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (EVP_DigestFinal_ex(digest, bytes, &size) != 1 || size != 32)
        return false;
    for (unsigned i = 0; i < size; i++)
        snprintf(out + 2 * (size_t)i, 3, "%02x", bytes[i]);
    return true;
}

/* The sum is OpenSSL's context under another name. */
static EVP_MD_CTX *context_of(sha256_sum *sum) {
    return (EVP_MD_CTX *)(void *)sum;
}

sha256_sum *sha256_begin(void) {
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    if (digest && EVP_DigestInit_ex(digest, EVP_sha256(), NULL) != 1) {
        EVP_MD_CTX_free(digest);
        digest = NULL;
    }
    return (sha256_sum *)(void *)digest;
}

bool sha256_add(sha256_sum *sum, const void *data, size_t size_bytes) {
    return EVP_DigestUpdate(context_of(sum), data, size_bytes) == 1;
}

bool sha256_end(sha256_sum *sum, char out[65]) {
    return finish(context_of(sum), out);
}

void sha256_free(sha256_sum *sum) {
    EVP_MD_CTX_free(context_of(sum));
}

bool sha256_bytes(const void *data, size_t size_bytes, char out[65]) {
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    bool done = digest && EVP_DigestInit_ex(digest, EVP_sha256(), NULL) == 1 &&
                EVP_DigestUpdate(digest, data, size_bytes) == 1 && finish(digest, out);
    EVP_MD_CTX_free(digest);
    return done;
}

static bool unchanged(int file, uint64_t size_bytes, int64_t modified_ns) {
    struct stat facts;
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode))
        return false;
    return (uint64_t)facts.st_size == size_bytes &&
           (int64_t)facts.st_mtim.tv_sec * 1000000000 + (int64_t)facts.st_mtim.tv_nsec ==
               modified_ns;
}

/* Feeds an open file to `digest`; bytes read, or UINT64_MAX when reading or hashing failed. */
static uint64_t add_file(EVP_MD_CTX *digest, int file) {
    unsigned char piece[1 << 15];
    uint64_t total = 0;
    ssize_t got;
    while ((got = read(file, piece, sizeof piece)) > 0) {
        if (EVP_DigestUpdate(digest, piece, (size_t)got) != 1)
            return UINT64_MAX;
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
    char text[65];
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    bool ready = digest && EVP_DigestInit_ex(digest, EVP_sha256(), NULL) == 1;
    bool same = ready && unchanged(file, size_bytes, modified_ns) &&
                add_file(digest, file) == size_bytes && finish(digest, text);
    EVP_MD_CTX_free(digest);
    close(file);
    if (!ready)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (!same)
        return habitat_fail_at(err, HABITAT_E_IO, path, UINT64_MAX, 0,
                               "the file changed since it was read; read it again");
    memcpy(out, text, sizeof text);
    return HABITAT_OK;
}
