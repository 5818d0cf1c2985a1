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
    uint64_t pc;     /* native frames: where it is (the call, not the return address) */
    uint64_t sp, fp; /* where it stands: compiled frames sp, interpreted ones fp; 0 not known */
    int32_t bci;
    uint8_t kind, level; /* as struct walk_frame */
    bool is_cut;         /* frames of this kind below (towards the caller) are missing */
};
