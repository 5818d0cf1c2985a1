/* fuzz_jfr_profile.c - JFR files as profiles. SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    fuzz_reader("jfr", bytes, len);
    return 0;
}
