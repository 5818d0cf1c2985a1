/*
 * jfr_blocks.c - see jfr_blocks.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_blocks.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/sampled.h"
#include "format/idmap.h"
#include "jfr/jfr_chunk.h"
#include "jfr/jfr_setting.h"
#include "jfr/jfr_value.h"
#include "profile/profile.h"

enum { WORD = 48 };

/* Indexes of the values of a kind whose rows name blocks. */
enum { BYTES, BLOCKS, HELD_BYTES, HELD_BLOCKS };

struct jfr_blocks_event {
    int64_t ticks;
    uint64_t address;
    size_t held; /* index of the block that was allocated, plus 1; 0: a block was freed */
};

struct jfr_blocks_held {
    uint64_t address, bytes, count, time_ns;
    trace_id trace;
    thread_id thread;
    context_id context;
    bool has_ended, is_truncated;
};

void jfr_blocks_done(struct jfr_blocks *b)
{
    free(b->events);
    free(b->held);
    *b = (struct jfr_blocks){0};
}

void jfr_blocks_begin(struct jfr_blocks *b, struct profile *profile)
{
    b->event_count = 0;
    if (b->profile != profile)
        b->held_count = 0;
    b->profile = profile;
}

void jfr_blocks_setting(struct jfr_blocks *b, const struct jfr_chunk *c,
                        const struct jfr_type *type, const struct jfr_record *record)
{
    struct jfr_setting setting;
    char text[WORD] = "";
    if (!jfr_setting_read(c, type, record, &setting) || !setting.about ||
        strcmp(setting.about->name, "profiler.Malloc") != 0)
        return;
    jfr_value_utf8(&setting.name, text, sizeof(text));
    if (strcmp(text, "interval") != 0)
        return;
    jfr_value_utf8(&setting.value, text, sizeof(text));
    b->interval = strtoull(text, NULL, 10);
}

/* Make room for one more element of `*array`. */
static bool has_room(struct jfr_blocks *b, void **array, size_t count, size_t *room, size_t each)
{
    if (count < *room)
        return true;
    size_t more = *room ? *room * 2 : 256;
    void *larger = b->error ? NULL : realloc(*array, more * each);
    if (!larger) {
        b->error = -ENOMEM;
        return false;
    }
    *array = larger;
    *room = more;
    return true;
}

static void add_event(struct jfr_blocks *b, const struct jfr_blocks_event *e)
{
    if (has_room(b, (void **)&b->events, b->event_count, &b->event_room, sizeof(*e)))
        b->events[b->event_count++] = *e;
}

/* The time and the address of an event. */
static struct jfr_blocks_event read_event(const struct jfr_chunk *c, const struct jfr_value *object)
{
    struct jfr_blocks_event e = {0};
    struct jfr_value value;
    if (jfr_value_named(c, object, "startTime", &value))
        e.ticks = value.number;
    if (jfr_value_named(c, object, "address", &value))
        e.address = (uint64_t)value.number;
    return e;
}

void jfr_blocks_made(struct jfr_blocks *b, const struct jfr_chunk *c,
                     const struct jfr_value *object, struct event *e)
{
    struct jfr_blocks_event made = read_event(c, object);
    b->kind = e->kind;
    if (b->interval) {
        struct sampled for_it =
            sampled_of(e->value[BYTES], b->interval, made.address, (uint64_t)made.ticks);
        e->value[BYTES] = for_it.bytes;
        e->value[BLOCKS] = for_it.count;
    }
    if (!made.address ||
        !has_room(b, (void **)&b->held, b->held_count, &b->held_room, sizeof(*b->held)))
        return;
    b->held[b->held_count++] = (struct jfr_blocks_held){
        .address = made.address,
        .bytes = e->value[BYTES],
        .count = e->value[BLOCKS],
        .time_ns = e->time_ns,
        .trace = e->trace,
        .thread = e->thread,
        .context = e->context,
        .is_truncated = e->is_truncated,
    };
    made.held = b->held_count;
    add_event(b, &made);
}

void jfr_blocks_freed(struct jfr_blocks *b, const struct jfr_chunk *c,
                      const struct jfr_value *object)
{
    struct jfr_blocks_event freed = read_event(c, object);
    if (freed.address)
        add_event(b, &freed);
}

/* An address is freed before it is allocated again at the same moment. */
static int by_time(const void *left, const void *right)
{
    const struct jfr_blocks_event *l = left, *r = right;
    if (l->ticks != r->ticks)
        return l->ticks < r->ticks ? -1 : 1;
    return l->held < r->held ? -1 : l->held > r->held;
}

/* End the block that the address names now. */
static void end(struct jfr_blocks *b, const struct idmap *now, uint64_t address)
{
    uint32_t index = idmap_get(now, address);
    if (index)
        b->held[index - 1].has_ended = true;
}

/* Drop the blocks that have ended. */
static void drop_ended(struct jfr_blocks *b)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->held_count; i++)
        if (!b->held[i].has_ended)
            b->held[kept++] = b->held[i];
    b->held_count = kept;
}

void jfr_blocks_join(struct jfr_blocks *b)
{
    struct idmap now; /* by address: index of the block, plus 1 */
    if (b->event_count == 0)
        return;
    qsort(b->events, b->event_count, sizeof(*b->events), by_time);
    size_t first = SIZE_MAX; /* of the blocks of this chunk */
    for (size_t i = 0; i < b->event_count; i++)
        if (b->events[i].held && b->events[i].held - 1 < first)
            first = b->events[i].held - 1;
    idmap_init(&now);
    for (size_t i = 0; i < b->held_count && i < first; i++)
        idmap_put(&now, b->held[i].address, (uint32_t)(i + 1));
    for (size_t i = 0; i < b->event_count; i++) {
        const struct jfr_blocks_event *e = &b->events[i];
        end(b, &now, e->address);
        if (e->held)
            idmap_put(&now, e->address, (uint32_t)e->held);
    }
    if (idmap_error(&now))
        b->error = idmap_error(&now);
    idmap_done(&now);
    b->event_count = 0;
    drop_ended(b);
}

int jfr_blocks_tell(const struct jfr_blocks *b, bool with_times)
{
    int error = b->error;
    for (size_t i = 0; i < b->held_count && !error; i++) {
        const struct jfr_blocks_held *held = &b->held[i];
        const struct event e = {
            .kind = b->kind,
            .trace = held->trace,
            .thread = held->thread,
            .context = held->context,
            .time_ns = held->time_ns,
            .is_truncated = held->is_truncated,
            .value = {[HELD_BYTES] = held->bytes, [HELD_BLOCKS] = held->count},
        };
        error = with_times && e.time_ns ? profile_count_at(b->profile, &e)
                                        : profile_count(b->profile, &e);
    }
    return error;
}
