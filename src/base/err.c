/*
 * err.c - the texts for the codes of err.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/err.h"
#include <errno.h>
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
    /* The C libraries have static texts for the numbers that they know, which strerror() returns;
     * for others glibc would fill a buffer. A buffer of our own would be one of each thread, and
     * processes into which the agent is loaded have little room for thread-locals. */
    return code < 0 && code >= -EHWPOISON ? strerror(-code) : "unknown error";
}
