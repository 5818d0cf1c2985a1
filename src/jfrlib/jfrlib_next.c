/*
 * jfrlib_next.c - moves a handle on: hprof_jfr_next(), hprof_jfr_next_chunk(), and what is known of
 * the present chunk and of damage.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include "base/err.h"
#include "jfrlib/jfrlib.h"
#include "jfrlib/jfrlib_error.h"
#include "jfrlib/jfrlib_types.h"

/* Ends the reading with an error. Returns its code. */
static int fail(struct hprof_jfr *h, int error, uint64_t offset, const char *detail)
{
    int code = jfrlib_error_set(&h->error, error, h->budget.is_short, offset, detail);
    if (h->live && h->live->name[0] != '\0')
        h->error.file = h->live->name;
    h->is_failed = true;
    return code;
}

/* Counts the damage that was met since the last call. Returns 0, or the code of the error that it
 * is for a handle that does not salvage. */
static int count_damage(struct hprof_jfr *h)
{
    const struct jfr_file *f = &h->file;
    if (f->damage_count == h->seen.places)
        return 0;
    const struct jfr_damage *d =
        &f->damages[h->seen.places < JFR_DAMAGES ? h->seen.places : JFR_DAMAGES - 1];
    if (h->lost.places == 0) {
        h->lost.first_offset = d->offset;
        h->lost.first_reason = d->what;
    }
    h->lost.places += f->damage_count - h->seen.places;
    h->lost.bytes += f->lost - h->seen.bytes;
    h->seen = (struct jfrlib_seen){f->damage_count, f->lost};
    return h->is_salvage ? 0 : fail(h, E_TRUNCATED, d->offset, d->what);
}

/* Begins the next chunk. Returns HPROF_JFR_CHUNK, HPROF_JFR_END, HPROF_JFR_WAIT or an error. */
static int begin_chunk(struct hprof_jfr *h)
{
    if (h->is_ended)
        return HPROF_JFR_END;
    jfrlib_types_done(h);
    jfrlib_text_next_chunk(&h->text);
    int r, code = 0;
    do {
        r = h->live ? jfrlib_live_next(h->live, &h->file) : jfr_file_next_chunk(&h->file);
        if (r < 0)
            return fail(h, r, h->file.offset, NULL);
        if (h->input.feed.error != 0)
            return fail(h, h->input.feed.error, h->input.feed.len, NULL);
        code = count_damage(h);
        if (code < 0)
            return code;
    } while (r == JFRLIB_LIVE_PASSED);
    h->is_ended = r == 0 && !h->live;
    if (r != HPROF_JFR_CHUNK)
        return r;
    r = jfrlib_types_begin(h);
    return r < 0 ? fail(h, r, h->file.offset, NULL) : HPROF_JFR_CHUNK;
}

/* Whether the fields of the event fit into its record. */
static bool is_whole(const struct jfr_type *type, const struct jfr_record *record)
{
    struct leb l = record->payload;
    jfr_type_skip_fields(type, type->field_count, &l);
    return !l.is_bad;
}

/* Finds the next event of the chunk that is wanted. Returns HPROF_JFR_EVENT, 0 or an error. */
static int find_event(struct hprof_jfr *h)
{
    struct jfr_file *f = &h->file;
    struct hprof_jfr_event *e = &h->event;
    while (jfr_file_next_record(f, &e->record) > 0) {
        e->type = jfr_chunk_type(&f->chunk, e->record.type_id);
        if (!e->type) {
            h->lost.unknown_events += e->record.type_id > JFR_LAYOUT_CHECKPOINT;
            continue;
        }
        if (!h->types.wanted[e->type->number])
            continue;
        if (is_whole(e->type, &e->record)) {
            e->value = jfr_value_event(e->type, &e->record);
            return HPROF_JFR_EVENT;
        }
        jfr_file_damage(f, f->offset + f->at - e->record.size, e->record.size,
                        "an event whose fields are longer than it");
        int code = count_damage(h);
        if (code < 0)
            break;
    }
    e->type = NULL;
    return h->is_failed ? h->error.code : count_damage(h);
}

/* Makes stale what was given before. Returns 0, or the error that ended the reading. */
static int move_on(struct hprof_jfr *h)
{
    h->serial++;
    h->event.type = NULL;
    jfrlib_text_next_event(&h->text);
    if (h->is_failed)
        return h->error.code;
    return h->budget.is_short ? fail(h, -ENOMEM, h->file.offset, NULL) : 0;
}

int hprof_jfr_next(struct hprof_jfr *h, const struct hprof_jfr_event **ret_event)
{
    if (!h || !ret_event)
        return HPROF_JFR_ARGUMENT;
    *ret_event = NULL;
    int code = move_on(h);
    while (code == 0) {
        if (h->has_chunk && (code = find_event(h)) != 0)
            break;
        code = begin_chunk(h);
        if (code != HPROF_JFR_CHUNK)
            return code;
        code = 0;
    }
    if (code == HPROF_JFR_EVENT)
        *ret_event = &h->event;
    return code;
}

int hprof_jfr_next_chunk(struct hprof_jfr *h)
{
    if (!h)
        return HPROF_JFR_ARGUMENT;
    int code = move_on(h);
    return code < 0 ? code : begin_chunk(h);
}

const struct hprof_jfr_error *hprof_jfr_last_error(const struct hprof_jfr *h)
{
    static const struct hprof_jfr_error no_handle = {.code = HPROF_JFR_ARGUMENT,
                                                     .detail = "there is no handle"};
    return h ? &h->error : &no_handle;
}

int hprof_jfr_get_chunk(const struct hprof_jfr *h, struct hprof_jfr_chunk *ret_chunk)
{
    if (!h || !ret_chunk)
        return HPROF_JFR_ARGUMENT;
    *ret_chunk = (struct hprof_jfr_chunk){0};
    if (!h->has_chunk)
        return HPROF_JFR_NO_VALUE;
    const struct jfr_chunk *c = &h->file.chunk;
    *ret_chunk = (struct hprof_jfr_chunk){
        .offset = h->file.offset,
        .size = c->len,
        .start_ns = c->header.start_ns,
        .duration_ns = c->header.duration_ns,
        .ticks_per_second = c->header.ticks_per_second,
        .gmt_offset_ms = c->metadata.gmt_offset_ms,
        .major = c->header.major,
        .minor = c->header.minor,
        .is_finished = c->is_finished,
        .is_last = c->header.is_final,
    };
    return HPROF_JFR_OK;
}

void hprof_jfr_get_lost(const struct hprof_jfr *h, struct hprof_jfr_lost *ret_lost)
{
    if (ret_lost)
        *ret_lost = h ? h->lost : (struct hprof_jfr_lost){0};
}
