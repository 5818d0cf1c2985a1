/* fuzz_hprof_text.c - the reader of HPROF text files. SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    fuzz_reader("hprof-text", bytes, len);
    return 0;
}
