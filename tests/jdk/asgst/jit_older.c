/*
 * jit_older.c - the part of jit_test.c that includes asgst_classic.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <asgst_classic.h>
#include <stdio.h>
#include "jit_test.h"

int jit_older_check(const struct jit_truth *truth, void *ucontext)
{
    static ASGST_CallFrame frames[JIT_DEPTH];
    ASGST_CallTrace trace = {0, 0, frames, NULL};
    int good = 1;
    AsyncGetStackTrace(&trace, JIT_DEPTH, ucontext, 0);
    for (int i = 0; i < trace.num_frames && i < truth->count; i++) {
        const ASGST_JavaFrame *f = &frames[i].java_frame;
        const struct jit_frame *t = &truth->frames[i];
        int bci = t->type == ASGST_FRAME_NATIVE ? 0 : t->bci;
        if (f->type != t->type || f->comp_level != t->level || f->bci != bci ||
            f->method_id != t->id) {
            printf("asgst_classic.h, frame %d: type %d level %d bci %d, wanted %s: type %d level "
                   "%d bci "
                   "%d\n",
                   i, f->type, f->comp_level, f->bci, t->name, t->type, t->level, bci);
            good = 0;
        }
    }
    return good && trace.num_frames == truth->count && trace.kind == ASGST_JAVA_TRACE;
}
