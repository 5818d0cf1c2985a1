/*
 * fuzz_demangle.c - names of C++ functions, as a hostile library or profile may have them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"
#include "command/demangle.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char *owned, *symbol = malloc(len + 3);
    if (!symbol)
        return 0;
    memcpy(symbol, "_Z", 2);
    memcpy(symbol + 2, bytes, len);
    symbol[len + 2] = 0;
    const char *text = demangle(symbol, &owned);
    if (text != symbol && (text != owned || strlen(text) > 16384))
        abort();
    free(owned);
    free(symbol);
    return 0;
}
