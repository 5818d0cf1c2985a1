/* libraryname.c - see libraryname.h. SPDX-License-Identifier: Apache-2.0 */
#include "base/libraryname.h"
#include <ctype.h>
#include <string.h>
#include "base/wildcard.h"

bool libraryname_is(const char *asked, size_t asked_len, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *end = strstr(name, ".so");
    if (wildcard_matches(asked, asked_len, path, strlen(path), false) ||
        wildcard_matches(asked, asked_len, name, strlen(name), false))
        return true;
    size_t len = end ? (size_t)(end - name) : 0;
    if (end && wildcard_matches(asked, asked_len, name, len, false))
        return true;
    while (len > 0 && (isdigit((unsigned char)name[len - 1]) || name[len - 1] == '.'))
        len--;
    return end && len > 1 && name[len - 1] == '-' &&
           wildcard_matches(asked, asked_len, name, len - 1, false);
}
