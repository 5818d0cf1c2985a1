/*
 * heapredact_names.c - see heapredact_names.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapredact/heapredact_names.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/wildcard.h"
#include "format/heap_record.h"
#include "format/hprof_heap.h"
#include "format/hprof_redact.h"
#include "heapredact/heapredact_request.h"
#include "heapredact/heapredact_table.h"

static bool begins(const char *text, size_t len, const char *with)
{
    size_t with_len = strlen(with);
    return len >= with_len && memcmp(text, with, with_len) == 0;
}

static bool is_kept(const struct heapredact_request *request, const char *name, size_t len)
{
    for (size_t i = 0; i < request->keep_count; i++)
        if (wildcard_matches(request->keep[i], strlen(request->keep[i]), name, len, false))
            return true;
    return false;
}

/* The same for a name that may have slashes in place of dots. */
static bool is_kept_class(const struct heapredact_request *request, const char *text, size_t len)
{
    char name[1024];
    if (request->keep_count == 0 || len > sizeof(name))
        return false;
    for (size_t i = 0; i < len; i++)
        name[i] = text[i];
    for (char *c = name; (c = memchr(c, '/', (size_t)(name + len - c))) != NULL;)
        *c = '.';
    return is_kept(request, name, len);
}

/* Packages of the JDK, whose fields readers look up by name. */
static bool is_of_jdk(const char *text, size_t len)
{
    static const char *const packages[] = {"java", "javax", "jdk", "sun", "com/sun", "com.sun"};
    for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {
        size_t end = strlen(packages[i]);
        if (len > end && begins(text, len, packages[i]) && (text[end] == '/' || text[end] == '.'))
            return true;
    }
    return false;
}

uint32_t heapredact_names_judge(const struct heapredact_request *request, const char *text,
                                size_t len)
{
    uint32_t bits = 0;
    if (begins(text, len, "hprof quality: ") || begins(text, len, "hprof site: "))
        bits |= HEAPREDACT_NOTE;
    if (begins(text, len, "hprof program: "))
        bits |= HEAPREDACT_PROGRAM;
    if (is_kept_class(request, text, len))
        bits |= HEAPREDACT_KEPT;
    if (is_of_jdk(text, len))
        bits |= HEAPREDACT_OF_JDK;
    if (hprof_redact_is_hash(text, len))
        bits |= HEAPREDACT_HASH;
    return bits;
}

enum heapredact_names_fate heapredact_names_fate(const struct heapredact_request *request,
                                                 uint32_t bits)
{
    if (bits & (HEAPREDACT_NOTE | HEAPREDACT_CLASS | HEAPREDACT_JDK_FIELD))
        return HEAPREDACT_NAMES_STAY;
    if (!request->has_names)
        return bits & (HEAPREDACT_USED | HEAPREDACT_PROGRAM) ? HEAPREDACT_NAMES_STAY
                                                             : HEAPREDACT_NAMES_GO;
    if ((bits & HEAPREDACT_USED) == 0)
        return HEAPREDACT_NAMES_GO;
    return (bits & HEAPREDACT_USED) == HEAPREDACT_DESCRIPTOR ? HEAPREDACT_NAMES_EMPTY_DESCRIPTOR
                                                             : HEAPREDACT_NAMES_MADE;
}

void heapredact_names_make(uint64_t number, char ret_name[HEAPREDACT_NAMES_ROOM])
{
    snprintf(ret_name, HEAPREDACT_NAMES_ROOM, "name%" PRIu64, number);
}

uint32_t heapredact_names_kept_types(const struct heapredact_request *request)
{
    uint32_t types = 0;
    for (uint32_t type = HPROF_BOOLEAN; type <= HPROF_LONG; type++) {
        const char *name = heap_record_array_name(type);
        if (is_kept(request, name, strlen(name)))
            types |= 1u << type;
    }
    return types;
}
