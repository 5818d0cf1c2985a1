/*
 * fuzz_threaddump.c - a thread dump whose names of threads and classes anybody may have chosen.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include "attach/threaddump.h"
#include "fuzz.h"

static void check(struct threaddump_text t, const char *text, size_t len)
{
    if (t.len > 0 && (t.at < text || t.at + t.len > text + len))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const char *text = (const char *)bytes;
    struct threaddump d = {0};
    if (threaddump_parse(&d, text, len) < 0)
        abort();
    uint32_t lines = 0;
    for (uint32_t i = 0; i < d.count; i++) {
        const struct threaddump_thread *t = &d.threads[i];
        if (t->first != lines)
            abort();
        lines += t->count;
        check(t->name, text, len);
        check(t->head, text, len);
        check(t->state, text, len);
    }
    if (lines != d.line_count)
        abort();
    for (uint32_t i = 0; i < d.line_count; i++) {
        check(d.lines[i].text, text, len);
        check(d.lines[i].object, text, len);
        check(d.lines[i].class_name, text, len);
    }
    threaddump_done(&d);
    return 0;
}
