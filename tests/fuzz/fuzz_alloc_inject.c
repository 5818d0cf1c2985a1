/*
 * fuzz_alloc_inject.c - calls where objects are made, as allocations are counted on JDK 8.
 *
 * With and without calls behind arrays, and where memory ends in between.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"
#include "fuzz_class.h"

static int32_t select_all(void *context, const struct instrument_method *m)
{
    (void)context;
    return m->advice == INSTRUMENT_TRACKER ? -1 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const struct instrument_probe probe = {
        .tracker = "P",
        .object = "object",
        .array = "array",
        .arrays = "arrays",
        .maybe = "maybe",
        .keep = INSTRUMENT_KEEP_NONE,
        .select = select_all,
    };

    const struct instrument_probe *probes[] = {&probe};

    fuzz_class_inject(probes, 1, bytes, len, (size_t)64 << 20);
    fuzz_class_inject(probes, 1, bytes, len, 300 << 10);
    return 0;
}
