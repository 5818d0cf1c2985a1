/* fuzz_hprof_binary.c - the reader of binary HPROF files. SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    fuzz_reader("hprof-binary", bytes, len);
    return 0;
}
