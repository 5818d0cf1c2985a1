/*
 * diag.h - where a library reports what goes wrong and how far it has come. The caller decides
 * whether this is printed, kept or ignored; the library prints nothing itself.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct diag {
    /**
     * A message of one line. `code` is negative, as in base/err.h, or 0 for a remark. `place` is
     * what the message is about, for example the path of a file. `text` may contain bytes of the
     * file: clean it before it reaches a terminal. Both are borrowed.
     */
    void (*tell)(struct diag *self, int code, const char *place, const char *text);
    /**
     * `done` of `whole` bytes of the work at `place` are done; `whole` is 0 if it is unknown. The
     * last call for a place has `done` UINT64_MAX. May be NULL.
     */
    void (*advance)(struct diag *self, const char *place, uint64_t done, uint64_t whole);
};

/** Make a message and hand it over. Without memory the format itself is the text. */
void diag_tell(struct diag *d, int code, const char *place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/** Hand over how far the work has come; see diag.advance. */
void diag_advance(struct diag *d, const char *place, uint64_t done, uint64_t whole);
