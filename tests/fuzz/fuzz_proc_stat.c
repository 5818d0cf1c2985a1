/*
 * fuzz_proc_stat.c - what the kernel says of a thread, whose name may be anything.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mem/proc_stat.h"
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct proc_stat stat = {{0}, NULL, NULL};
    size_t most = sizeof(stat.bytes) - 1;
    memcpy(stat.bytes, bytes, len < most ? len : most);
    if (proc_stat_parse(&stat) < 0)
        return 0;
    if (stat.name > stat.name_end)
        abort();
    for (int number = PROC_STAT_STATE; number <= PROC_STAT_START; number++) {
        const char *field = proc_stat_field(&stat, (enum proc_stat_number)number);
        if (*field && (field <= stat.name_end || field >= stat.bytes + sizeof(stat.bytes)))
            abort();
    }
    (void)proc_stat_is_ended(&stat);
    return 0;
}
