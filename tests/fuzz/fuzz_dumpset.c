/*
 * fuzz_dumpset.c - a file with thread dumps, of any form: what is found in it can be compared over
 * time and printed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "threaddump/dumpset.h"
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "fuzz.h"
#include "threaddump/dumpprint.h"
#include "threaddump/dumpseries.h"
#include "threaddump/dumptree.h"

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_locks(const struct dumpset_dump *d, const struct dumplocks *l)
{
    uint32_t waiting = 0, wanted = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        must(l->locks[i].holder < (int64_t)d->threads.count);
        must(l->locks[i].waiting > 0 && l->locks[i].blocked >= l->locks[i].waiting);
        waiting += l->locks[i].waiting;
    }
    for (uint32_t i = 0; i < d->threads.count; i++) {
        must(l->wanted[i] < (int32_t)l->count);
        wanted += l->wanted[i] >= 0;
    }
    must(waiting == wanted);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct dumpset set = {0};
    struct dumpseries series;
    struct sink out;
    /* In a block of its own, so that a step beyond it is seen. */
    char *copy = malloc(len > 0 ? len : 1);
    if (!copy)
        abort();
    memcpy(copy, bytes, len);
    int got = dumpset_read_text(&set, "x", copy, len);
    free(copy);
    must(got < 0 || (uint32_t)got == set.count);
    must(dumpseries_make(&set, &series) == 0 && sink_init(&out, -1) == 0);
    for (uint32_t i = 0; i < set.count; i++) {
        check_locks(&set.dumps[i], &series.locks[i]);
        must(dumptree_print(&out, &set.dumps[i].threads, &series.locks[i]) == 0);
    }
    if (!series.is_mixed && set.count > 0) {
        must(dumpprint_series(&out, &series) == 0);
        dumpprint_series_json(&out, &series);
    }
    must(sink_done(&out) == 0);
    dumpseries_done(&series);
    dumpset_done(&set);
    return 0;
}
