/*
 * fuzz_jfc.c - the settings in a .jfc file.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "options/jfc.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct jfc_setting one;
    struct jfc j;
    int more;
    jfc_open(&j, (const char *)bytes, len);
    while ((more = jfc_next(&j, &one)) > 0)
        if (!memchr(one.value, 0, sizeof(one.value)) || !memchr(one.event, 0, sizeof(one.event)))
            abort();
    if (more < 0 && !j.xml.why)
        abort(); /* every refusal says why */
    return 0;
}
