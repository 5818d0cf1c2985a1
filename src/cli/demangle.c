/*
 * demangle.c - see demangle.h.
 *
 * The C++ runtime library has the demangler; its C interface is fixed by the Itanium C++ ABI, 3.4.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/demangle.h"
#include <stddef.h>
#include <string.h>

#ifdef HAVE_CXA_DEMANGLE
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *ret_status);
#endif

const char *demangle(const char *symbol, char **ret_owned)
{
    *ret_owned = NULL;
#ifdef HAVE_CXA_DEMANGLE
    if (strncmp(symbol, "_Z", 2) == 0) {
        int status;

        *ret_owned = __cxa_demangle(symbol, NULL, NULL, &status);
    }
#endif
    return *ret_owned ? *ret_owned : symbol;
}
