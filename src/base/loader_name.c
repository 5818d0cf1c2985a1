/*
 * loader_name.c - see loader_name.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/loader_name.h"
#include <stdio.h>
#include <string.h>

#define VM_OWN "bootstrap"

void loader_name_join(const char *name, const char *type, char *ret, size_t size)
{
    if (*name && *type)
        snprintf(ret, size, "%s (%s)", name, type);
    else
        snprintf(ret, size, "%s", *name ? name : *type ? type : VM_OWN);
}

struct loader_name loader_name_split(const char *text, size_t len)
{
    const char *open = len ? memrchr(text, '(', len) : NULL;
    if (len == sizeof(VM_OWN) - 1 && memcmp(text, VM_OWN, len) == 0)
        return (struct loader_name){.name = text, .name_len = len};
    if (!open || open - text < 2 || text[len - 1] != ')')
        return (struct loader_name){.type = text, .type_len = len};
    size_t name_len = (size_t)(open - text) - 1; /* without the blank */
    return (struct loader_name){text, open + 1, name_len, len - name_len - 3};
}
