/*
 * fuzz_manifest.c - the list of profiles that JVMs leave, as one that died, or a stranger, may
 * leave it. SPDX-License-Identifier: Apache-2.0
 */
#include "recording/manifest.h"
#include "fuzz.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct manifest m = {0};
    FILE *in = len > 0 ? fmemopen((void *)bytes, len, "r") : NULL;
    if (!in)
        return 0;
    if (manifest_parse(&m, in) == 0) {
        for (size_t i = 0; i < m.count; i++) {
            if (m.entries[i].path[0] != '/')
                abort();
        }
    }
    fclose(in);
    manifest_close(&m);
    return 0;
}
