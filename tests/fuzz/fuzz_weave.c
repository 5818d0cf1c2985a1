/*
 * fuzz_weave.c - several probes put into a class at once.
 *
 * Those of all engines, all together, in pairs and by threes, and where memory ends in between.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "callprobe.h"
#include "fuzz.h"
#include "fuzz_class.h"

enum { PROBES = 4 };

static int32_t select_all(void *context, const struct instrument_method *m)
{
    (void)context;
    return m->advice == INSTRUMENT_TRACKER ? -1 : 0;
}

/* The same number for the same method, whatever became of those before it; some are large. */
static int32_t select_advised(void *context, const struct instrument_method *m)
{
    uint32_t hash = m->desc.len;
    for (uint32_t i = 0; i < m->name.len; i++)
        hash = hash * 31 + (uint8_t)m->name.bytes[i];
    return m->advice == INSTRUMENT_INJECTED ? (int32_t)(hash & 0xffff) : -1;
}

/* As heap=sites, monitor=all, cpu=times, and a tracker that finds out about exceptions alone. */
static const struct instrument_probe all[PROBES] = {
    {.tracker = "Objects",
     .object = "object",
     .array = "array",
     .arrays = "arrays",
     .maybe = "maybe",
     .keep = INSTRUMENT_KEEP_NONE,
     .select = select_all},
    {.tracker = "Int",
     .kept = 'I',
     .enter_keep = "enterKeep",
     .exit_keep = "exitKeep",
     .caught = "caught",
     .keep = INSTRUMENT_KEEP_ALL,
     .has_arguments = true,
     .select = select_advised},
    {.tracker = "Long",
     .kept = 'J',
     .enter_keep = "enterKeep",
     .exit_keep = "exitKeep",
     .caught = "caught",
     .keep = INSTRUMENT_KEEP_ALL,
     .huge_bytes = 60,
     .select = select_advised},
    {CALLPROBE("Plain"), .keep = INSTRUMENT_KEEP_HANDLERS, .has_object = true,
     .select = select_advised},
};

/* As JVMPI's monitors: a handler of its own, which is one more for those that come after. */
static const struct instrument_probe unlock = {
    .tracker = "Unlock",
    .unlock = "unlock",
    .keep = INSTRUMENT_KEEP_NONE,
    .select = select_all,
};

/* Its handler stands behind those of the others. */
static const struct instrument_probe unwound = {
    .tracker = "Unwound",
    .kept = 'J',
    .enter_keep = "enterKeep",
    .exit_keep = "exitKeep",
    .caught = "unwound",
    .keep = INSTRUMENT_KEEP_UNWOUND,
    .select = select_all,
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    for (unsigned set = 1; set < 1u << PROBES; set++) {
        const struct instrument_probe *some[PROBES];
        uint32_t n = 0;
        for (unsigned i = 0; i < PROBES; i++)
            if (set >> i & 1)
                some[n++] = all + i;
        fuzz_class_inject_in_turn(some, n, bytes, len);
        if (n == PROBES) {
            fuzz_class_inject(some, n, bytes, len, (size_t)64 << 20);
            fuzz_class_inject(some, n, bytes, len, 300 << 10);
        }
    }
    fuzz_class_inject((const struct instrument_probe *const[]){&unlock, all + PROBES - 1}, 2, bytes,
                      len, (size_t)64 << 20);
    fuzz_class_inject((const struct instrument_probe *const[]){&unwound, all + PROBES - 1}, 2,
                      bytes, len, (size_t)64 << 20);
    fuzz_class_inject((const struct instrument_probe *const[]){&unlock, &unwound}, 2, bytes, len,
                      (size_t)64 << 20);
    return 0;
}
