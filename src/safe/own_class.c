/*
 * own_class.c - see own_class.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/own_class.h"

bool own_class_is(const char *name, size_t len)
{
    static const char start[] = OWN_CLASS_MARK;
    if (len < sizeof(start) - 1)
        return false;
    for (size_t i = 0; i < sizeof(start) - 1; i++) {
        if (name[i] != start[i] && !(start[i] == '/' && name[i] == '.'))
            return false;
    }
    return true;
}
