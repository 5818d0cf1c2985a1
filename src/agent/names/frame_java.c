/*
 * frame_java.c - frames whose number is a jmethodID. The VM is asked for the method (names.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/agent.h"
#include "agent/names/frame_room.h"
#include "agent/names/names.h"

static frame_id name(struct agent *a, const struct walk_frame *f)
{
    return names_frame(a, (jmethodID)(uintptr_t)f->method, f->bci);
}

const struct frame_namer frame_java = {.names = WALK_NAMES_JMETHODID, .name = name};
