/*
 * walk_later.c - see walk_later.h. Reads nothing.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/walk_later.h"

static int walk(struct walk_request *request, struct walk_frame *frames, uint32_t max,
                bool *ret_truncated)
{
    (void)frames;
    (void)max;
    *ret_truncated = 0;
    return request->jni_env ? 0 : -(1 + WALK_NO_THREAD);
}

const struct walker walk_later = {
    .name = "jvmti", .names = WALK_NAMES_JMETHODID, .is_later = true, .walk = walk};
