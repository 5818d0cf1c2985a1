/*
 * demangle.c - see demangle.h.
 *
 * The C++ runtime library of gcc has a demangler that passes its text to a callback piece by piece
 * and keeps all its memory on the stack (libiberty cp-demangle.c, __gcclibcxx_demangle_callback). A
 * mangled name may refer to parts of itself, so a name of one kilobyte can stand for terabytes of
 * text. When the text gets too long, the callback leaves the demangler by longjmp(). Nothing leaks,
 * because nothing was allocated.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/demangle.h"
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_DEMANGLE_CALLBACK

/* The demangler recurses over the name and keeps a record for each letter on the stack. So the
 * length of a name is bounded. */
enum {
    SYMBOL_BYTES_MAX = 8192,
    TEXT_BYTES_MAX = 16384,
};

extern int __gcclibcxx_demangle_callback(const char *name,
                                         void (*append)(const char *bytes, size_t len, void *arg),
                                         void *arg);

struct text {
    jmp_buf too_long;
    size_t len;
    char bytes[TEXT_BYTES_MAX];
};

static void append(const char *bytes, size_t len, void *arg)
{
    struct text *text = arg;
    if (len >= sizeof(text->bytes) - text->len)
        longjmp(text->too_long, 1);
    memcpy(text->bytes + text->len, bytes, len);
    text->len += len;
}

/* Returns a malloc'ed text. NULL: `symbol` is not a mangled name, its text is too long, or there is
 * no memory. */
static char *demangle_bounded(const char *symbol)
{
    struct text text;
    text.len = 0;
    if (strnlen(symbol, SYMBOL_BYTES_MAX) == SYMBOL_BYTES_MAX || setjmp(text.too_long) != 0)
        return NULL;
    if (__gcclibcxx_demangle_callback(symbol, append, &text) != 0)
        return NULL;
    return strndup(text.bytes, text.len);
}

#else

static char *demangle_bounded(const char *symbol)
{
    (void)symbol;
    return NULL;
}

#endif

const char *demangle(const char *symbol, char **ret_owned)
{
    *ret_owned = strncmp(symbol, "_Z", 2) == 0 ? demangle_bounded(symbol) : NULL;
    return *ret_owned ? *ret_owned : symbol;
}

size_t demangle_without_parameters(const char *name)
{
    const char *at = strrchr(name, ')');
    int open = 0;
    for (; at && at > name; at--) {
        open += *at == ')' ? 1 : *at == '(' ? -1 : 0;
        if (open == 0)
            return (size_t)(at - name);
    }
    return strlen(name);
}
