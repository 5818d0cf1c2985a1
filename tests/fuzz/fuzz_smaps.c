/*
 * fuzz_smaps.c - the kernel's lists of mappings, with paths that may be anything, and the VM's own
 * account of its memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "footprint/footprint_nmt.h"
#include "fuzz.h"
#include "process/smaps.h"

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_smaps(char *text)
{
    struct smaps s;
    uint64_t end = 0, resident = 0;
    int error = smaps_parse(text, &s);
    must(error < 0 || s.count > 0);
    for (uint32_t i = 0; i < s.count; i++) {
        const struct smaps_region *r = &s.rows[i];
        must(r->start >= end && r->start < r->end);
        must(r->resident <= r->end - r->start && r->swapped <= r->end - r->start &&
             r->huge <= r->end - r->start);
        must(r->path >= s.text && strlen(r->path) < 1 << 20);
        must(smaps_at(&s, r->start) == r && smaps_at(&s, r->end - 1) == r);
        end = r->end;
        resident += r->resident;
    }
    must(s.resident == resident);
    smaps_done(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct footprint_nmt nmt;
    uint64_t rollup;
    char *text = strndup((const char *)bytes, len), *again = text ? strdup(text) : NULL;
    if (again) {
        (void)smaps_parse_rollup(again, &rollup);
        if (footprint_nmt_parse(again, &nmt) == 0)
            must(nmt.count > 0 && nmt.count <= FOOTPRINT_NMT_ROWS);
        check_smaps(text);
        text = NULL;
    }
    free(text);
    free(again);
    return 0;
}
