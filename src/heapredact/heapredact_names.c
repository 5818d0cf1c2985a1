/*
 * heapredact_names.c - see heapredact_names.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapredact/heapredact_names.h"
#include <stdbool.h>
#include <string.h>
#include "format/hprof_redact.h"
#include "heapredact/heapredact_table.h"

static bool begins(const char *text, size_t len, const char *with)
{
    size_t with_len = strlen(with);
    return len >= with_len && memcmp(text, with, with_len) == 0;
}

uint32_t heapredact_names_judge(const struct hprof_redact_rule *rule, const char *text, size_t len)
{
    uint32_t bits = 0;
    if (begins(text, len, "hprof quality: ") || begins(text, len, "hprof site: "))
        bits |= HPROF_REDACT_NOTE;
    if (begins(text, len, "hprof program: "))
        bits |= HPROF_REDACT_PROGRAM;
    if (hprof_redact_keeps(rule, text, len))
        bits |= HEAPREDACT_KEPT;
    if (hprof_redact_is_of_jdk(text, len))
        bits |= HEAPREDACT_OF_JDK;
    if (hprof_redact_is_hash(text, len))
        bits |= HEAPREDACT_HASH;
    return bits;
}
