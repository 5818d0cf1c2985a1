/*
 * stopped_frame.h - one frame of a thread of a stopped process or a core file.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "safe/walk.h"

struct stopped_frame {
    uint64_t method; /* Method*; 0: a native frame */
    uint64_t pc;     /* of a native frame: an address in the call, not the return address */
    uint64_t sp, fp; /* of a compiled frame sp, of an interpreted frame fp; 0: not known */
    int32_t bci;
    uint8_t kind, level; /* the same as in struct walk_frame */
    bool is_cut;         /* frames of this kind are missing below (towards the caller) */
};
