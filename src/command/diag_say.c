/*
 * diag_say.c - see diag_say.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/diag_say.h"
#include "base/diag.h"
#include "command/progress.h"
#include "command/say.h"

struct teller {
    struct diag diag;
    struct progress progress;
};

static void tell(struct diag *self, int code, const char *place, const char *text)
{
    say("%s: %s", place, text);
}

static void advance(struct diag *self, const char *place, uint64_t done, uint64_t whole)
{
    struct progress *progress = &((struct teller *)self)->progress;
    if (!progress->what)
        *progress = progress_begin(place, whole);
    if (done != UINT64_MAX) {
        progress_tell(progress, done);
    } else {
        progress_end(progress);
        *progress = (struct progress){0};
    }
}

struct diag *diag_say(void)
{
    static struct teller teller = {.diag = {.tell = tell, .advance = advance}};
    return &teller.diag;
}
