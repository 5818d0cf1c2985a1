/* options_class.c - see options_class.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_class.h"

bool options_class_read(char *name, size_t len)
{
    bool is_start = true; /* at the start of a part of the name */
    for (size_t i = 0; i < len; i++) {
        if (name[i] == '.')
            name[i] = '/';
        if ((name[i] == '/' && is_start) || (name[i] > 0 && name[i] <= ' ') || name[i] == ';' ||
            name[i] == '[' || name[i] == ':' || name[i] == '*')
            return false;
        is_start = name[i] == '/';
    }
    return !is_start;
}
