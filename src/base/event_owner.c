/*
 * event_owner.c - see event_owner.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/event_owner.h"
#include <stddef.h>
#include <string.h>

bool event_owner_is_application(const char *event)
{
    static const char *const others[] = {"jdk.", "jdk/", "hprof.", "profiler."};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strncmp(event, others[i], strlen(others[i])) == 0)
            return false;
    return true;
}
