/* fuzz_pprof.c - the reader of profile.proto. SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    fuzz_reader("pprof", bytes, len);
    return 0;
}
