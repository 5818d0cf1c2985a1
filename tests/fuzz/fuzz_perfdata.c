/*
 * fuzz_perfdata.c - counters as a damaged file, or whoever owns one, may have them.
 *
 * The bytes are taken twice: the second copy has the entries of the first, which are known then.
 * Then the halves of the bytes are taken as two copies with the same prologue, as of a file whose
 * owner changes what was learnt.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "perfdata/perfdata.h"

enum { PROLOGUE = 32 };

static unsigned char *copy_of(const uint8_t *bytes, size_t len)
{
    unsigned char *copy = malloc(len + 1);
    if (!copy)
        abort();
    memcpy(copy, bytes, len);
    return copy;
}

static uint64_t sum_of(const struct perfdata *p)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        size_t len;
        const struct perfdata_row *row = &p->rows[i];
        const char *text = perfdata_text(p, row, &len);
        if (!perfdata_find(p, row->name))
            abort();
        sum += (uint64_t)perfdata_number(p, row) + strlen(row->name);
        for (size_t at = 0; at < len; at++)
            sum += (unsigned char)text[at];
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct perfdata p = {0};
    (void)perfdata_take(&p, copy_of(bytes, len), len);
    uint64_t sum = sum_of(&p);
    (void)perfdata_take(&p, copy_of(bytes, len), len);
    if (sum_of(&p) != sum)
        abort();
    size_t half = len / 2;
    unsigned char *second = copy_of(bytes + half, half);
    (void)perfdata_take(&p, copy_of(bytes, half), half);
    (void)sum_of(&p);
    memcpy(second, bytes, half < PROLOGUE ? half : PROLOGUE);
    (void)perfdata_take(&p, second, half);
    (void)sum_of(&p);
    perfdata_done(&p);
    return 0;
}
