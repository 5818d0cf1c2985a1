/*
 * err.c - the texts for the codes of err.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/err.h"
#include <stdio.h>
#include <string.h>

static const char *const texts[] = {
#define E(name, text) [ERR_INDEX_##name] = (text),
#include "base/err.def"
#undef E
};

const char *err_text(int code)
{
    if (code == 0)
        return texts[ERR_INDEX_OK];
    if (code < -10000 && code > -10000 - ERR_INDEX_COUNT)
        return texts[-10000 - code];
    /*
     * strerror_r() is thread-safe; strerror() is not. The glibc variant returns the text and uses
     * the buffer for unknown numbers only. The buffer is small because processes into which the
     * agent is loaded have little room left for static thread-locals, and such a buffer is never
     * allocated later.
     */
    static __thread char buffer[32];
    if (code > -10000 && code < 0) {
#ifdef __GLIBC__
        return strerror_r(-code, buffer, sizeof(buffer));
#else
        if (strerror_r(-code, buffer, sizeof(buffer)) == 0)
            return buffer;
#endif
    }
    snprintf(buffer, sizeof(buffer), "unknown error %d", code);
    return buffer;
}
