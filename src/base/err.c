/*
 * err.c - the texts for the codes of err.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/err.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { UNKNOWN = 16 }; /* numbers that nobody knows, and that get a text of their own */

static const char *const texts[] = {
#define E(name, text) [ERR_INDEX_##name] = (text),
#include "base/err.def"
#undef E
};

/* The text for a number that nobody knows: made once, at the number's first use. There are no
 * thread-locals for it, since processes into which the agent is loaded have little room for them.
 */
static const char *unknown(int code)
{
    static struct {
        _Atomic int code; /* 0: free */
        _Atomic bool is_made;
        char text[32];
    } made[UNKNOWN];
    for (int i = 0; i < UNKNOWN; i++) {
        int expected = 0;
        if (atomic_compare_exchange_strong(&made[i].code, &expected, code)) {
            snprintf(made[i].text, sizeof(made[i].text), "unknown error %d", code);
            atomic_store(&made[i].is_made, true);
            return made[i].text;
        }
        if (expected == code && atomic_load(&made[i].is_made))
            return made[i].text;
    }
    return "unknown error";
}

const char *err_text(int code)
{
    if (code == 0)
        return texts[ERR_INDEX_OK];
    if (code < -10000 && code > -10000 - ERR_INDEX_COUNT)
        return texts[-10000 - code];
    /* The C libraries have static texts for the numbers that they know. */
    return code < 0 && code >= -EHWPOISON ? strerror(-code) : unknown(code);
}
