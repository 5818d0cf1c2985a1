/*
 * annotation.h - annotations: the few that say how the VM treats a method, and offsets in those of
 * types.
 *
 * Source: JVM specification, sections 4.7.16 and 4.7.20.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "classfile/cpool.h"

struct codeplan;

enum annotation_flag {
    ANNOTATION_INTRINSIC = 1,      /* the compilers may replace the method by code of their own */
    ANNOTATION_CHANGES_THREAD = 2, /* the current thread on return is not that on entry */
};

/** The flags of RuntimeVisibleAnnotations contents; what is malformed counts as not there. */
unsigned annotation_flags(const struct cpool *p, const uint8_t *bytes, size_t len);

/**
 * Move the code offsets in the contents of a Runtime(In)VisibleTypeAnnotations attribute of Code,
 * in place. `handlers_added` exception table entries stand before the old ones.
 *
 * Errors: 0, E_FORMAT.
 */
int annotation_move(uint8_t *bytes, size_t len, const struct codeplan *plan,
                    uint32_t handlers_added);
