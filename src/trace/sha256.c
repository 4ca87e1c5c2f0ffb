/* SHA-256 as in FIPS 180-4. Written out here since it is one page and is asked for only when a
 * result must name the file it came from; a library for it would cost more at start-up. */
#include "trace/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

typedef struct digest {
    uint32_t h[8];
    uint64_t size_bytes;
    unsigned char block[64];
    size_t filled;
} digest;

/* Fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, int n) {
    return x >> n | x << (32 - n);
}

static void add_block(digest *d, const unsigned char *p) {
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
               (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(s, d->h, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t t1 = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
                      ((s[4] & s[5]) ^ (~s[4] & s[6])) + round_constants[i] + w[i];
        uint32_t t2 = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) +
                      ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        d->h[i] += s[i];
}

static void start(digest *d) {
    /* fractional parts of the square roots of the first 8 primes */
    *d = (digest){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                        0x1f83d9ab, 0x5be0cd19}};
}

static void add(digest *d, const unsigned char *data, size_t size) {
    d->size_bytes += size;
    while (size) {
        if (d->filled == 0 && size >= 64) {
            add_block(d, data);
            data += 64;
            size -= 64;
            continue;
        }
        size_t take = 64 - d->filled < size ? 64 - d->filled : size;
        memcpy(d->block + d->filled, data, take);
        d->filled += take;
        data += take;
        size -= take;
        if (d->filled == 64) {
            add_block(d, d->block);
            d->filled = 0;
        }
    }
}

static void finish(digest *d, char out[65]) {
    uint64_t bits = d->size_bytes * 8;
    unsigned char end[8];
    add(d, (const unsigned char *)"\x80", 1);
    while (d->filled != 56)
        add(d, (const unsigned char *)"", 1);
    for (int i = 0; i < 8; i++)
        end[i] = (unsigned char)(bits >> (56 - 8 * i));
    add(d, end, 8);
    for (int i = 0; i < 8; i++)
        snprintf(out + 8 * i, 9, "%08x", (unsigned)d->h[i]);
}

void sha256_bytes(const void *data, size_t size_bytes, char out[65]) {
    digest d;
    start(&d);
    add(&d, data, size_bytes);
    finish(&d, out);
}

static bool unchanged(int file, uint64_t size_bytes, int64_t modified_ns) {
    struct stat facts;
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode))
        return false;
    return (uint64_t)facts.st_size == size_bytes &&
           (int64_t)facts.st_mtim.tv_sec * 1000000000 + (int64_t)facts.st_mtim.tv_nsec ==
               modified_ns;
}

habitat_status sha256_file(const char *path, uint64_t size_bytes, int64_t modified_ns, char out[65],
                           habitat_error *err) {
    unsigned char piece[1 << 14];
    digest d;
    start(&d);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return habitat_fail_at(err, HABITAT_E_IO, path, UINT64_MAX, 0,
                               "cannot open it again: %s; check the file and try again",
                               strerror(errno));
    bool same = unchanged(file, size_bytes, modified_ns);
    ssize_t got = 0;
    while (same && (got = read(file, piece, sizeof piece)) > 0)
        add(&d, piece, (size_t)got);
    close(file);
    if (!same || got < 0 || d.size_bytes != size_bytes)
        return habitat_fail_at(err, HABITAT_E_IO, path, UINT64_MAX, 0,
                               "the file changed since it was read; read it again");
    finish(&d, out);
    return HABITAT_OK;
}
