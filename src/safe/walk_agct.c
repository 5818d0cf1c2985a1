/*
 * walk_agct.c - see walk_agct.h.
 *
 * In the handler, only AsyncGetCallTrace reads memory, and the VM is responsible for that. It
 * writes its frames straight into the caller's array, whose elements have the same size; they are
 * then converted in place.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/walk_agct.h"
#include <stddef.h>

struct agct_frame {
    int32_t bci; /* -3: native method */
    void *method;
};

struct agct_trace {
    void *env;
    int32_t count;
    struct agct_frame *frames;
};

typedef void agct_function(struct agct_trace *trace, int32_t depth, void *ucontext);

_Static_assert(sizeof(struct agct_frame) == sizeof(struct walk_frame), "turned in place");
_Static_assert(offsetof(struct agct_frame, method) == 8, "as HotSpot lays it out");

static agct_function *agct;

void walk_agct_prepare(void *function)
{
    agct = (agct_function *)function;
}

static int walk(struct walk_request *request, struct walk_frame *frames, uint32_t max,
                bool *ret_truncated)
{
    struct agct_trace trace = {request->jni_env, 0, (struct agct_frame *)frames};
    *ret_truncated = 0;
    if (!request->jni_env)
        return -(1 + WALK_NO_THREAD);
    agct(&trace, (int32_t)max, request->ucontext);
    if (trace.count <= 0)
        return trace.count >= -10 ? trace.count - 1 : -(1 + WALK_OTHER);
    for (int32_t i = 0; i < trace.count; i++) {
        struct agct_frame f = trace.frames[i];
        frames[i] = (struct walk_frame){
            .method = (uint64_t)(uintptr_t)f.method,
            .bci = f.bci,
            .kind = f.bci == -3 ? WALK_KIND_NATIVE : WALK_KIND_JAVA,
        };
    }
    return trace.count;
}

const struct walker walk_agct = {.name = "agct", .names = WALK_NAMES_JMETHODID, .walk = walk};
