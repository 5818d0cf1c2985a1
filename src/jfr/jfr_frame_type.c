/*
 * jfr_frame_type.c - see jfr_frame_type.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/jfr_frame_type.h"
#include <string.h>

const char *const jfr_frame_type_words[JFR_FRAME_TYPES] = {
    [JFR_FRAME_TYPE_INTERPRETED] = "Interpreted",
    [JFR_FRAME_TYPE_JIT] = "JIT compiled",
    [JFR_FRAME_TYPE_INLINED] = "Inlined",
    [JFR_FRAME_TYPE_NATIVE] = "Native",
    [JFR_FRAME_TYPE_CPP] = "C++",
    [JFR_FRAME_TYPE_KERNEL] = "Kernel",
    [JFR_FRAME_TYPE_C1] = "C1 compiled",
};

enum jfr_frame_type jfr_frame_type_of(const char *words)
{
    int type = 0;
    while (type < JFR_FRAME_TYPES && strcmp(jfr_frame_type_words[type], words) != 0)
        type++;
    return (enum jfr_frame_type)type;
}
