/*
 * annotation.h - annotations that tell how the VM treats a method, and code offsets in type
 * annotations.
 *
 * Source: JVM specification, sections 4.7.16 and 4.7.20.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "classfile/cpool.h"

struct codeplan;

enum annotation_flag {
    /* the compilers may replace the method by their own code */
    ANNOTATION_INTRINSIC = 1,
    /* when the method returns, the current thread may be another one than at its entry */
    ANNOTATION_CHANGES_THREAD = 2,
};

/** The flags in the contents of RuntimeVisibleAnnotations. A malformed annotation counts as
 * missing. */
unsigned annotation_flags(const struct cpool *p, const uint8_t *bytes, size_t len);

/**
 * Move the code offsets in the contents of a Runtime(In)VisibleTypeAnnotations attribute of Code,
 * in place. `handlers_added` entries were added in front of the old exception table.
 *
 * Errors:  0, E_FORMAT.
 */
int annotation_move(uint8_t *bytes, size_t len, const struct codeplan *plan,
                    uint32_t handlers_added);
