/*
 * jfr_rewrite.c - see jfr_rewrite.h.
 *
 * Everything is written twice: first to a sink that only counts, which tells the size of each part
 * and which constants are needed, then to the real sink.
 * Source: jdk.jfr, ChunkWriter; docs/format/jfr.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/jfr_rewrite.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/be.h"
#include "base/err.h"
#include "base/sink.h"
#include "jfr/jfr_renumber.h"
#include "jfr/jfr_text.h"
#include "jfr/jfr_value.h"

/* put_head() writes the size of a record in SIZE_BYTES bytes, even if the size is small. */
enum { CONSTANTS_MIN = 1024, SIZE_BYTES = 5 };

/* A constant that is copied. */
struct constant {
    const struct jfr_type *type;
    uint64_t key;
    const uint8_t *value;
};

struct rewriting {
    const struct jfr_rewrite *w;
    struct jfr_chunk *c;
    struct constant *constants; /* the first `done` have been searched for more constants */
    size_t constant_count, room, done;
    struct sink *out;
    /* both only count bytes: `counter` counts the whole output, `measure` one event or constant */
    struct sink counter, measure;
    uint64_t hidden; /* texts replaced in the output */
    int error;
};

/* The copying of one record or constant. The bytes from `from` to l.at are read but not written
 * yet. */
struct copy {
    struct rewriting *r;
    struct sink *out;
    struct leb l;
    const uint8_t *from;
    const struct jfr_record *event; /* NULL: not in a field of an event itself */
};

/* Writes the size and the type of a record whose content has `len` bytes. The size always takes
 * SIZE_BYTES. */
static void put_head(struct sink *s, uint64_t type_id, uint64_t len)
{
    uint8_t id[JFR_LAYOUT_LEB_MAX];
    size_t id_len = leb_write(type_id, id);
    uint64_t size = SIZE_BYTES + id_len + len;
    for (int i = 0; i < SIZE_BYTES; i++, size >>= 7)
        sink_u1(s, (uint8_t)((size & 0x7f) | (i < SIZE_BYTES - 1 ? 0x80 : 0)));
    sink_bytes(s, id, id_len);
}

static uint64_t type_number(const struct rewriting *r, uint64_t id)
{
    return r->w->renumber ? jfr_renumber_type(r->w->renumber, id) : id;
}

static int64_t start_ticks(const struct rewriting *r)
{
    const struct jfr_header *h = &r->c->header;
    return r->w->renumber ? jfr_renumber_ticks(r->w->renumber, r->c, h->start_ticks)
                          : h->start_ticks;
}

static void want(struct rewriting *r, const struct jfr_type *type, uint64_t key)
{
    const uint8_t *value;
    int marked = type ? jfr_pool_mark(&r->c->pools, type, key, &value) : 0;
    if (marked < 0)
        r->error = marked;
    if (marked <= 0)
        return;
    if (r->constant_count == r->room) {
        size_t room = r->room > 0 ? r->room * 2 : CONSTANTS_MIN;
        struct constant *rows = realloc(r->constants, room * sizeof(*rows));
        if (!rows) {
            r->error = -ENOMEM;
            return;
        }
        r->constants = rows;
        r->room = room;
    }
    r->constants[r->constant_count++] = (struct constant){type, key, value};
}

static void copy_passed(struct copy *copy, const uint8_t *to)
{
    sink_bytes(copy->out, copy->from, (size_t)(to - copy->from));
    copy->from = to;
}

static void copy_text(struct copy *copy, const struct jfr_type *owner, const struct jfr_field *f)
{
    const uint8_t *start = copy->l.at;
    struct jfr_text own = jfr_text_read(&copy->l), text = own;
    const struct jfr_rewrite *w = copy->r->w;
    const char *instead = NULL;
    if (copy->l.is_bad)
        return;
    if (w->replaces && jfr_value_follow_text(copy->r->c, f->type, &text))
        instead = w->replaces(w->with, copy->r->c, copy->event, owner, f, &text);
    if (instead) {
        copy_passed(copy, start);
        sink_u1(copy->out, JFR_LAYOUT_STRING_UTF8);
        leb_put(copy->out, strlen(instead));
        sink_text(copy->out, instead);
        copy->from = copy->l.at;
        copy->r->hidden += copy->out == copy->r->out;
    } else if (own.encoding == JFR_LAYOUT_STRING_POOL) {
        want(copy->r, f->type, own.key);
    }
}

static void copy_fields(struct copy *copy, const struct jfr_type *type, unsigned depth);

static void copy_element(struct copy *copy, const struct jfr_type *owner, const struct jfr_field *f,
                         unsigned depth)
{
    struct jfr_field one = *f;
    one.is_array = false;
    if (f->is_pooled) {
        want(copy->r, f->type, leb_number(&copy->l));
    } else if (f->type && f->type->kind == JFR_STRUCT) {
        const struct jfr_record *event = copy->event;
        copy->event = NULL;
        copy_fields(copy, f->type, depth + 1);
        copy->event = event;
    } else if (f->type && f->type->kind == JFR_STRING) {
        copy_text(copy, owner, f);
    } else {
        jfr_type_skip(&one, &copy->l);
    }
}

/* Copies a field that is a number, or an array of numbers. */
static void copy_plain(struct copy *copy, const struct jfr_type *owner, const struct jfr_field *f)
{
    const struct jfr_renumber *n = copy->r->w->renumber;
    const uint8_t *start = copy->l.at;
    if (!n || !jfr_renumber_changes(owner, f)) {
        jfr_type_skip(f, &copy->l);
        return;
    }
    uint64_t number = leb_number(&copy->l);
    if (copy->l.is_bad)
        return;
    copy_passed(copy, start);
    leb_put(copy->out, jfr_renumber_value(n, copy->r->c, f, number));
    copy->from = copy->l.at;
}

static void copy_fields(struct copy *copy, const struct jfr_type *type, unsigned depth)
{
    if (depth > JFR_NESTING)
        leb_fail(&copy->l);
    for (uint32_t i = 0; i < type->field_count && !copy->l.is_bad; i++) {
        const struct jfr_field *f = &type->fields[i];
        bool is_plain =
            !f->is_pooled && f->type && f->type->kind != JFR_STRUCT && f->type->kind != JFR_STRING;
        if (is_plain) {
            copy_plain(copy, type, f);
            continue;
        }
        uint64_t elements = f->is_array ? leb_number(&copy->l) : 1;
        if (elements > leb_left(&copy->l))
            leb_fail(&copy->l);
        for (; elements > 0 && !copy->l.is_bad; elements--)
            copy_element(copy, type, f, depth);
    }
}

/* Copies the value of a constant. If its type is java.lang.String the value is a text and has no
 * fields. */
static void copy_constant(struct rewriting *r, const struct constant *constant, struct sink *out)
{
    const struct jfr_type *type = constant->type;
    const uint8_t *end = r->c->bytes + r->c->len;
    struct copy copy = {
        .r = r, .out = out, .l = {.at = constant->value, .end = end}, .from = constant->value};
    const struct jfr_field itself = {.name = "", .type = type};
    if (type->kind == JFR_STRUCT)
        copy_fields(&copy, type, 0);
    else
        copy_element(&copy, type, &itself, 0);
    if (!copy.l.is_bad) /* jfr_pool_add() has read them before */
        copy_passed(&copy, copy.l.at);
}

/* Copies the content of an event. Its length changes only if a text is replaced or a number
 * changes. Returns false if the event is malformed. */
static bool copy_event(struct rewriting *r, const struct jfr_type *type,
                       const struct jfr_record *record, struct sink *out)
{
    struct copy copy = {
        .r = r, .out = out, .l = record->payload, .from = record->payload.at, .event = record};
    copy_fields(&copy, type, 0);
    if (copy.l.is_bad)
        return false;
    copy_passed(&copy, record->payload.end);
    return true;
}

/* Copies an event with its size and type. They stay unchanged if the content keeps its length. */
static bool put_event(struct rewriting *r, const struct jfr_type *type,
                      const struct jfr_record *record, struct sink *out)
{
    uint64_t before = sink_position(&r->measure);
    if (!copy_event(r, type, record, &r->measure))
        return false;
    uint64_t len = sink_position(&r->measure) - before;
    if (len == leb_left(&record->payload) && !r->w->renumber)
        sink_bytes(out, record->bytes, (size_t)(record->payload.at - record->bytes));
    else
        put_head(out, type_number(r, record->type_id), len);
    copy_event(r, type, record, out);
    return true;
}

static struct jfr_rewrite_count put_events(struct rewriting *r, struct sink *out)
{
    struct jfr_rewrite_count count = {0};
    const struct jfr_rewrite *w = r->w;
    struct jfr_record record;
    for (size_t at = JFR_LAYOUT_HEADER;
         r->error == 0 && jfr_chunk_record(r->c->bytes, r->c->len, at, &record) > 0;
         at += record.size) {
        const struct jfr_type *type = jfr_chunk_type(r->c, record.type_id);
        if (record.type_id == JFR_LAYOUT_METADATA || record.type_id == JFR_LAYOUT_CHECKPOINT)
            continue;
        if (type && (!w->keeps || w->keeps(w->with, r->c, type, &record)) &&
            put_event(r, type, &record, out))
            count.kept++;
        else
            count.removed++;
    }
    return count;
}

static int by_type_and_place(const void *a, const void *b)
{
    const struct constant *x = a, *y = b;
    if (x->type != y->type)
        return x->type->number < y->type->number ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

/* Finds all constants to which the copied events lead, directly or through other constants. */
static void find_constants(struct rewriting *r)
{
    for (size_t i = 0; i < r->constant_count && r->error == 0; i++) {
        const struct constant constant = r->constants[i]; /* a copy, because the rows may move */
        copy_constant(r, &constant, &r->measure);
    }
    if (r->constant_count > 0)
        qsort(r->constants, r->constant_count, sizeof(*r->constants), by_type_and_place);
}

/* The end of the pool that begins at row `at`. */
static size_t pool_end(const struct rewriting *r, size_t at)
{
    const struct jfr_type *type = r->constants[at].type;
    while (at < r->constant_count && r->constants[at].type == type)
        at++;
    return at;
}

static void put_pools(struct rewriting *r, struct sink *out)
{
    uint64_t pools = 0;
    for (size_t i = 0; i < r->constant_count; i = pool_end(r, i))
        pools++;
    leb_put(out, (uint64_t)start_ticks(r));
    leb_put(out, 0); /* duration */
    leb_put(out, 0); /* no checkpoint before this one */
    sink_u1(out, 0);
    leb_put(out, pools);
    for (size_t i = 0, end; i < r->constant_count; i = end) {
        end = pool_end(r, i);
        leb_put(out, type_number(r, r->constants[i].type->id));
        leb_put(out, end - i);
        for (size_t k = i; k < end; k++) {
            leb_put(out, r->constants[k].key);
            copy_constant(r, &r->constants[k], out);
        }
    }
}

static void put_header(const struct rewriting *r, uint64_t size, uint64_t checkpoint,
                       struct sink *out)
{
    const struct jfr_header *h = &r->c->header;
    int64_t max = r->w->duration_max;
    uint8_t header[JFR_LAYOUT_HEADER];
    memcpy(header, r->c->bytes, sizeof(header));
    be_put8(header + JFR_LAYOUT_SIZE_AT, size);
    be_put8(header + JFR_LAYOUT_CHECKPOINT_AT, checkpoint);
    be_put8(header + JFR_LAYOUT_METADATA_AT, JFR_LAYOUT_HEADER);
    if (max > 0 && h->duration_ns > max)
        be_put8(header + JFR_LAYOUT_DURATION_NS_AT, (uint64_t)max);
    if (r->w->renumber) {
        be_put8(header + JFR_LAYOUT_START_TICKS_AT, (uint64_t)start_ticks(r));
        be_put8(header + JFR_LAYOUT_TICKS_PER_SECOND_AT,
                (uint64_t)r->w->renumber->clock.ticks_per_second);
    }
    if (h->minor > 0)
        header[JFR_LAYOUT_STATE_AT] = JFR_LAYOUT_FINISHED;
    sink_bytes(out, header, sizeof(header));
}

static void put_metadata(struct rewriting *r, struct sink *out)
{
    const struct jfr_record *record = &r->c->metadata_record;
    uint64_t before = sink_position(&r->measure);
    if (!r->w->renumber) {
        sink_bytes(out, record->bytes, record->size);
        return;
    }
    int error = jfr_renumber_metadata(r->w->renumber, r->c, &r->measure);
    put_head(out, JFR_LAYOUT_METADATA, sink_position(&r->measure) - before);
    if (error == 0)
        error = jfr_renumber_metadata(r->w->renumber, r->c, out);
    r->error = r->error == 0 ? error : r->error;
}

static int write_chunk(struct rewriting *r, struct jfr_rewrite_count *count)
{
    put_metadata(r, &r->counter);
    struct jfr_rewrite_count own = put_events(r, &r->counter);
    uint64_t before_pools = sink_position(&r->counter);

    count->kept += own.kept;
    count->removed += own.removed;
    if (own.kept == 0)
        return r->error;
    find_constants(r);
    if (r->error < 0)
        return r->error;
    put_pools(r, &r->counter);
    uint64_t pools = sink_position(&r->counter) - before_pools;
    uint64_t checkpoint = JFR_LAYOUT_HEADER + before_pools;
    put_header(r, checkpoint + SIZE_BYTES + 1 + pools, checkpoint, r->out);
    put_metadata(r, r->out);
    put_events(r, r->out);
    put_head(r->out, JFR_LAYOUT_CHECKPOINT, pools);
    put_pools(r, r->out);
    count->hidden += r->hidden;
    return r->error < 0 ? r->error : sink_error(r->out);
}

int jfr_rewrite_chunk(const struct jfr_rewrite *w, struct jfr_chunk *c, struct sink *s,
                      struct jfr_rewrite_count *count)
{
    struct rewriting r = {.w = w, .c = c, .out = s};
    int error = c->has_types ? sink_init(&r.counter, -1) : E_FORMAT;
    if (error == 0)
        error = sink_init(&r.measure, -1);
    if (error == 0)
        error = write_chunk(&r, count);
    sink_done(&r.counter);
    sink_done(&r.measure);
    jfr_pool_unmark_all(&c->pools);
    free(r.constants);
    return error;
}
