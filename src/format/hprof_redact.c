/*
 * hprof_redact.c - see hprof_redact.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_redact.h"
#include <string.h>
#include "base/wildcard.h"
#include "format/heap_record.h"
#include "format/hprof_heap.h"

enum { CLASS_NAME = 1024 }; /* longer names are not kept */

static bool is_kept(const struct hprof_redact_rule *rule, const char *name, size_t len)
{
    const char *end;
    for (const char *at = rule->keep; at && *at; at = *end ? end + 1 : end) {
        end = strchrnul(at, ';');
        if (end > at && wildcard_matches(at, (size_t)(end - at), name, len, false))
            return true;
    }
    return false;
}

bool hprof_redact_keeps(const struct hprof_redact_rule *rule, const char *name, size_t len)
{
    char dotted[CLASS_NAME];
    if (!rule->keep || !*rule->keep || len > sizeof(dotted))
        return false;
    for (size_t i = 0; i < len; i++)
        dotted[i] = name[i] == '/' ? '.' : name[i];
    return is_kept(rule, dotted, len);
}

uint32_t hprof_redact_kept_types(const struct hprof_redact_rule *rule)
{
    uint32_t types = rule->values == HPROF_REDACT_NOTHING ? UINT32_MAX : 0;
    for (uint32_t type = HPROF_BOOLEAN; type <= HPROF_LONG; type++) {
        const char *name = heap_record_array_name(type);
        if (is_kept(rule, name, strlen(name)))
            types |= 1u << type;
    }
    return types;
}

bool hprof_redact_is_of_jdk(const char *name, size_t len)
{
    static const char *const packages[] = {"java", "javax", "jdk", "sun", "com/sun", "com.sun"};
    for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {
        size_t end = strlen(packages[i]);
        if (len > end && memcmp(name, packages[i], end) == 0 &&
            (name[end] == '/' || name[end] == '.'))
            return true;
    }
    return false;
}

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

bool hprof_redact_zeroes(enum hprof_redact values, unsigned type, bool is_hash)
{
    if (type < HPROF_BOOLEAN || type > HPROF_LONG)
        return false;
    bool holds_hash = is_hash && (type == HPROF_INT || type == HPROF_LONG);
    return values == HPROF_REDACT_ALL || (values == HPROF_REDACT_VALUES && holds_hash);
}

enum hprof_redact_fate hprof_redact_fate(const struct hprof_redact_rule *rule, unsigned uses)
{
    enum {
        USED = HPROF_REDACT_CLASS | HPROF_REDACT_FIELD | HPROF_REDACT_JDK_FIELD |
               HPROF_REDACT_CODE | HPROF_REDACT_DESCRIPTOR | HPROF_REDACT_THREAD,
    };
    if (uses & (HPROF_REDACT_NOTE | HPROF_REDACT_CLASS | HPROF_REDACT_JDK_FIELD))
        return HPROF_REDACT_STAYS;
    if (!rule->has_names)
        return uses & (USED | HPROF_REDACT_PROGRAM) ? HPROF_REDACT_STAYS : HPROF_REDACT_GOES;
    if ((uses & USED) == 0)
        return HPROF_REDACT_GOES;
    return (uses & USED) == HPROF_REDACT_DESCRIPTOR ? HPROF_REDACT_EMPTY_DESCRIPTOR
                                                    : HPROF_REDACT_MADE;
}

const char *hprof_redact_name(enum hprof_redact_fate fate, uint64_t number,
                              char room[HPROF_REDACT_NAME])
{
    static const char before[] = "name";
    char *at = room + HPROF_REDACT_NAME - 1;
    if (fate != HPROF_REDACT_MADE)
        return fate == HPROF_REDACT_EMPTY_DESCRIPTOR ? "()V" : "";
    *at = '\0';
    for (; number > 0 || !*at; number /= 10)
        *--at = (char)('0' + number % 10);
    at -= sizeof(before) - 1;
    return memcpy(at, before, sizeof(before) - 1);
}
