/*
 * metered.c - a target that believes what its input says of its length: the meter ends it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

static char *volatile kept; /* so that the compiler keeps what is not used */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    uint32_t claimed;
    if (len < sizeof(claimed))
        return 0;
    memcpy(&claimed, bytes, sizeof(claimed));
    kept = malloc(claimed);
    free(kept);
    return 0;
}
