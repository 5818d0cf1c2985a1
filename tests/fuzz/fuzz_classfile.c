/*
 * fuzz_classfile.c - the reader and the injector of class files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"
#include "fuzz_class.h"

static void inject(const uint8_t *bytes, size_t len, enum instrument_keep keep, int32_t first,
                   size_t budget)
{
    struct instrument_probe probe = {
        .tracker = "P",
        .enter = "enter",
        .exit = "exit",
        .kept = keep == INSTRUMENT_KEEP_ALL ? 'I' : 'J',
        .enter_keep = "enterKeep",
        .exit_keep = "exitKeep",
        .caught = "caught",
        .keep = keep,
        .first_number = first,
    };
    const struct instrument_probe *probes[] = {&probe};
    fuzz_class_inject(probes, 1, bytes, len, budget);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    inject(bytes, len, INSTRUMENT_KEEP_HANDLERS, 0, (size_t)64 << 20);
    inject(bytes, len, INSTRUMENT_KEEP_ALL, 40000, (size_t)64 << 20);
    inject(bytes, len, INSTRUMENT_KEEP_NONE, 300, 300 << 10); /* the end of memory is met too */
    return 0;
}
