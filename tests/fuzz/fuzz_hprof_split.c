/* fuzz_hprof_split.c - any bytes as a stream of records. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include "format/hprof_split.h"
#include "fuzz.h"

/* Where the records end must not depend on the pieces: the first byte says which. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct hprof_split s = {.format = 0}, one = {.format = 0};
    size_t step = len > 0 ? bytes[0] + 1U : 1, end = 1;
    int stands_still = 0;
    for (size_t at = 1; at < len;) {
        size_t piece = len - at < step ? len - at : step, other = 1;
        bool is_end, other_is_end = false;
        size_t n = hprof_split_take(&s, bytes + at, piece, &is_end);
        if (n > piece || (n == 0 && (!is_end || stands_still)))
            abort();
        stands_still = n == 0;
        at += n;
        if (!is_end)
            continue;
        while (!other_is_end && end < len) {
            other = hprof_split_take(&one, bytes + end, 1, &other_is_end);
            end += other;
        }
        if (end != at || !other_is_end)
            abort();
    }
    return 0;
}
