/*
 * frame_room.c - see frame_room.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/names/frame_room.h"
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/names/names.h"

static struct {
    struct frame_cache cache;
    /* indexed by the meaning of the numbers that they know */
    const struct frame_namer *namers[WALK_NAMES_COUNT];
    frame_id unknown;
    bool keeps_kinds;
} room;

void frame_room_init(uint64_t mem_bytes)
{
    frame_cache_init(&room.cache, budget_bytes(mem_bytes, BUDGET_FRAMES));
    room.unknown = 0;
    for (int i = 0; frame_namer_all[i]; i++)
        room.namers[frame_namer_all[i]->names] = frame_namer_all[i];
}

void frame_room_done(void)
{
    frame_cache_done(&room.cache);
    room.keeps_kinds = false;
}

void frame_room_keep_kinds(bool keeps)
{
    room.keeps_kinds = keeps;
}

static enum walk_names names_of(enum walk_names names, const struct walk_frame *f)
{
    switch (f->kind) {
    case WALK_KIND_CPP:
        return WALK_NAMES_ADDRESS;
    case WALK_KIND_KERNEL:
        return WALK_NAMES_KERNEL;
    default:
        return names;
    }
}

/* The space of a frame for the cache. If kinds are kept, frames of different kinds are different
 * frames. */
static uint32_t space_of(const struct frame_namer *namer, const struct walk_frame *f)
{
    uint32_t kind = room.keeps_kinds ? f->kind : 0;
    return (kind * WALK_NAMES_COUNT + (uint32_t)namer->names) * FRAME_ROOM_ERAS +
           (namer->era ? namer->era(f) % FRAME_ROOM_ERAS : 0);
}

static frame_id of_kind(struct agent *a, frame_id frame, enum walk_kind walked)
{
    const struct profile_frame *f = profile_frame_at(a->profile, frame);
    return profile_frame_of(a->profile, frame_kind_walked(walked), f->method, f->bci, f->line);
}

/* The plain frame exists already, because of_kind() makes a frame with a kind from the plain frame.
 */
frame_id frame_room_plain(struct agent *a, frame_id frame)
{
    const struct profile_frame *f = room.keeps_kinds ? profile_frame_at(a->profile, frame) : NULL;
    return f && f->kind != FRAME_JAVA ? profile_frame(a->profile, f->method, f->bci, f->line)
                                      : frame;
}

/* Asks the namer for a frame that is not in the cache. The era may change during the call, so
 * space_of() is called after it. */
static struct frame_found ask(struct agent *a, const struct frame_namer *namer,
                              const struct walk_frame *f)
{
    uint64_t lost = profile_lost(a->profile);
    struct frame_found found = {.frame = namer->name(a, f)};
    if (found.frame && room.keeps_kinds)
        found.frame = of_kind(a, found.frame, f->kind);
    if (!found.frame) {
        found.is_lost = profile_lost(a->profile) != lost;
        return found;
    }
    found.is_own = names_is_own(a, found.frame) != 0;
    found.is_blank = namer->is_blank && namer->is_blank(f);
    frame_cache_keep(&room.cache,
                     (struct frame_cache_row){f->method, f->bci, space_of(namer, f), found});
    return found;
}

struct frame_found frame_room_find(struct agent *a, enum walk_names names,
                                   const struct walk_frame *f)
{
    const struct frame_namer *namer = room.namers[names_of(names, f)];
    struct frame_found found = {0};
    if (f->method)
        found = frame_cache_find(&room.cache, f->method, f->bci, space_of(namer, f));
    return found.frame || !f->method ? found : ask(a, namer, f);
}

frame_id frame_room_unknown(struct agent *a)
{
    if (!room.unknown)
        room.unknown = names_unknown_frame(a);
    return room.unknown;
}
