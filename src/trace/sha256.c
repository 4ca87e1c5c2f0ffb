/* SHA-256 as in FIPS 180-4. A result names the file it came from by it, so it must keep up with
 * reading: with the processor's own instructions where it has them (1.5 GB/s and more), else in
 * plain C. A library for this would cost more at start-up than the hashing of most traces. */
#include "trace/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "base/error.h"

typedef struct digest {
    uint32_t h[8];
    uint64_t size_bytes;
    unsigned char block[64];
    size_t filled;
    bool instructions;
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

static uint32_t big_endian(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* One round; the caller turns the eight variables instead of moving their values. */
static void round_of(uint32_t s[8], int i, uint32_t word) {
    uint32_t *a = &s[(0 - i) & 7], *b = &s[(1 - i) & 7], *c = &s[(2 - i) & 7], *d = &s[(3 - i) & 7];
    uint32_t *e = &s[(4 - i) & 7], *f = &s[(5 - i) & 7], *g = &s[(6 - i) & 7], *h = &s[(7 - i) & 7];
    uint32_t t1 = *h + (rotate(*e, 6) ^ rotate(*e, 11) ^ rotate(*e, 25)) + (*g ^ (*e & (*f ^ *g))) +
                  round_constants[i] + word;
    uint32_t t2 =
        (rotate(*a, 2) ^ rotate(*a, 13) ^ rotate(*a, 22)) + ((*a & *b) | (*c & (*a | *b)));
    *d += t1;
    *h = t1 + t2;
}

static void add_blocks_plain(uint32_t state[8], const unsigned char *p, size_t count) {
    for (; count; count--, p += 64) {
        uint32_t w[64], s[8];
        for (int i = 0; i < 16; i++)
            w[i] = big_endian(p + 4 * i);
        for (int i = 16; i < 64; i++)
            w[i] = w[i - 16] + w[i - 7] +
                   (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
                   (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
        memcpy(s, state, sizeof s);
        for (int i = 0; i < 64; i += 8)
            for (int j = 0; j < 8; j++)
                round_of(s, i + j, w[i + j]);
        for (int i = 0; i < 8; i++)
            state[i] += s[i];
    }
}

#if defined(__x86_64__)

/* Four rounds; `m` holds the last 16 words of the schedule in four vectors, `turn` the next one. */
#define FOUR_ROUNDS(group, turn)                                                                   \
    do {                                                                                           \
        if ((group) >= 4) {                                                                        \
            __m128i last = m[((turn) + 3) & 3];                                                    \
            m[turn] = _mm_sha256msg1_epu32(m[turn], m[((turn) + 1) & 3]);                          \
            m[turn] = _mm_add_epi32(m[turn], _mm_alignr_epi8(last, m[((turn) + 2) & 3], 4));       \
            m[turn] = _mm_sha256msg2_epu32(m[turn], last);                                         \
        }                                                                                          \
        __m128i words = _mm_add_epi32(m[turn], _mm_loadu_si128(constants + (group)));              \
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, words);                                           \
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(words, 0x0e));                  \
    } while (0)

/* The instructions keep the state as (a b e f) and (c d g h), highest word first. */
__attribute__((target("sha,sse4.1"))) static void
add_blocks_sha(uint32_t state[8], const unsigned char *p, size_t count) {
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i *constants = (const __m128i *)(const void *)round_constants;
    __m128i low = _mm_loadu_si128((const __m128i *)(const void *)state);
    __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(state + 4));
    low = _mm_shuffle_epi32(low, 0xb1);
    high = _mm_shuffle_epi32(high, 0x1b);
    __m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);
    for (; count; count--, p += 64) {
        const __m128i old_abef = abef, old_cdgh = cdgh;
        __m128i m[4];
        for (int i = 0; i < 4; i++)
            m[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)p + i), swap);
        for (int group = 0; group < 16; group += 4) {
            FOUR_ROUNDS(group, 0);
            FOUR_ROUNDS(group + 1, 1);
            FOUR_ROUNDS(group + 2, 2);
            FOUR_ROUNDS(group + 3, 3);
        }
        abef = _mm_add_epi32(abef, old_abef);
        cdgh = _mm_add_epi32(cdgh, old_cdgh);
    }
    low = _mm_shuffle_epi32(abef, 0x1b);
    high = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(low, high, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(high, low, 8));
}

static bool has_instructions(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1) || !(c & bit_SSSE3))
        return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

#else

static bool has_instructions(void) {
    return false;
}

#endif

static void add_blocks(digest *d, const unsigned char *p, size_t count) {
#if defined(__x86_64__)
    if (d->instructions) {
        add_blocks_sha(d->h, p, count);
        return;
    }
#endif
    add_blocks_plain(d->h, p, count);
}

static void start(digest *d, bool plain) {
    /* fractional parts of the square roots of the first 8 primes */
    *d = (digest){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                        0x1f83d9ab, 0x5be0cd19}};
    d->instructions = !plain && has_instructions();
}

static void add(digest *d, const unsigned char *data, size_t size) {
    d->size_bytes += size;
    while (size) {
        if (d->filled == 0 && size >= 64) {
            add_blocks(d, data, size / 64);
            data += size / 64 * 64;
            size %= 64;
            continue;
        }
        size_t take = 64 - d->filled < size ? 64 - d->filled : size;
        memcpy(d->block + d->filled, data, take);
        d->filled += take;
        data += take;
        size -= take;
        if (d->filled == 64) {
            add_blocks(d, d->block, 1);
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

void sha256_bytes(const void *data, size_t size_bytes, bool plain, char out[65]) {
    digest d;
    start(&d, plain);
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
    unsigned char piece[1 << 15];
    digest d;
    start(&d, false);
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
