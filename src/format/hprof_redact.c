/*
 * hprof_redact.c - see hprof_redact.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_redact.h"
#include "format/hprof_heap.h"

bool hprof_redact_is_hash(const char *name, size_t len)
{
    static const char word[] = "hash";
    enum { WORD = sizeof(word) - 1, TO_LOWER = 'a' - 'A' };
    for (size_t at = 0; at + WORD <= len; at++) {
        size_t same = 0;
        while (same < WORD &&
               (name[at + same] == word[same] || name[at + same] == word[same] - TO_LOWER))
            same++;
        if (same == WORD)
            return true;
    }
    return false;
}

bool hprof_redact_zeroes(enum hprof_redact redact, unsigned type, bool is_hash)
{
    if (type < HPROF_BOOLEAN || type > HPROF_LONG)
        return false;
    bool holds_hash = is_hash && (type == HPROF_INT || type == HPROF_LONG);
    return redact == HPROF_REDACT_ALL || (redact == HPROF_REDACT_VALUES && holds_hash);
}
