/* fuzz_collapsed.c - the reader of collapsed stacks. SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    fuzz_reader("collapsed", bytes, len);
    return 0;
}
