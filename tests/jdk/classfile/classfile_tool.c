/*
 * classfile_tool.c - the injector as a filter: class files in, injected class files out.
 *
 * Standard input is any number of class files, each behind its length in four bytes, big-endian;
 * standard output is the same with probes. What happened is said on standard error, with the time
 * it took. SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../../fuzz/callprobe.h"
#include "base/arena.h"
#include "base/err.h"
#include "classfile/instrument.h"

enum { CLASS_MAX = 64 << 20 };

struct counts {
    unsigned long classes, errors, verdicts[INSTRUMENT_VERDICT_COUNT];
    double bytes_in, bytes_out, seconds;
};

static const struct instrument_probe probe = {
    CALLPROBE("java/lang/HprofProbe"),
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void put(const void *bytes, size_t len)
{
    unsigned char head[4] = {(unsigned char)(len >> 24), (unsigned char)(len >> 16),
                             (unsigned char)(len >> 8), (unsigned char)len};
    fwrite(head, 1, 4, stdout);
    fwrite(bytes, 1, len, stdout);
}

static void inject(const struct instrument_probe *p, const unsigned char *bytes, size_t len,
                   struct arena *a, struct counts *n)
{
    struct instrument_result r;
    double begin = now();
    arena_reset(a);
    int error = instrument_class(&p, 1, bytes, len, a, &r);
    n->seconds += now() - begin;
    n->classes++;
    n->bytes_in += (double)len;
    if (error != 0) {
        n->errors++;
        fprintf(stderr, "class %lu: %s at byte %zu\n", n->classes, err_text(error), r.error_at);
    }
    for (uint32_t i = 0; error == 0 && i < r.row_count; i++)
        n->verdicts[r.shares->rows[i].verdict]++;
    n->bytes_out += (double)(r.bytes ? r.len : len);
    put(r.bytes ? r.bytes : bytes, r.bytes ? r.len : len);
}

int main(int argc, char **argv)
{
    struct counts n = {0};
    struct instrument_probe p = probe;
    if (argc > 1)
        p.first_number = (int32_t)strtol(argv[1], NULL, 10);
    unsigned char head[4];
    struct arena a;
    arena_init(&a, (size_t)1 << 30);
    while (fread(head, 1, 4, stdin) == 4) {
        size_t len = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
        unsigned char *bytes = len <= CLASS_MAX ? malloc(len + 1) : NULL;
        if (!bytes || fread(bytes, 1, len, stdin) != len) {
            fprintf(stderr, "class %lu: cannot be read\n", n.classes + 1);
            free(bytes);
            return 1;
        }
        inject(&p, bytes, len, &a, &n);
        free(bytes);
    }
    arena_done(&a);
    for (int v = 0; v < INSTRUMENT_VERDICT_COUNT; v++)
        if (n.verdicts[v])
            fprintf(stderr, "%8lu %s\n", n.verdicts[v],
                    instrument_verdict_text((enum instrument_verdict)v));
    fprintf(stderr,
            "%lu classes, %lu errors, %.1f MB in, %.1f MB out, %.3f s: %.0f MB/s, %.0f classes/s\n",
            n.classes, n.errors, n.bytes_in / 1e6, n.bytes_out / 1e6, n.seconds,
            n.bytes_in / 1e6 / n.seconds, (double)n.classes / n.seconds);
    return n.errors > 0;
}
