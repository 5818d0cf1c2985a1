/*
 * fuzz_properties.c - properties that a program has set to whatever it likes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/properties.h"
#include <stdlib.h>
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct properties p = {0};
    if (properties_read(&p, (const char *)bytes, len) < 0)
        abort();
    for (size_t i = 0; i < p.count; i++)
        if (!properties_find(&p, p.rows[i].name))
            abort();
    properties_done(&p);
    return 0;
}
