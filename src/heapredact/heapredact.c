/*
 * heapredact.c - see heapredact.h.
 *
 * Both readings walk through the file in the same way (heap/dumpscan.h); the first one has no sink.
 * The second one goes along behind the walk: bytes are copied up to a place, or replaced by zeros
 * up to it. So an array of any length needs no memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapredact/heapredact.h"
#include <stdlib.h>
#include <string.h>
#include "base/diag.h"
#include "base/err.h"
#include "base/sink.h"
#include "format/hprof_bin.h"
#include "format/hprof_redact.h"
#include "heap/dumpscan.h"
#include "heapredact/heapredact_names.h"
#include "heapredact/heapredact_table.h"

enum {
    PIECE = 64 * 1024, /* bytes that are copied at once */
    LAG = 128 * 1024,  /* how far the copy may be behind the walk */
    ID_LARGEST = 8,
    TELL_EACH = 4096,         /* records between two reports of progress */
    FIELDS_MAX = 1 << 16,     /* more than a class can have */
    FIELDS_OF_A_NAME = 64,    /* bytes of a record that refers to names */
    TYPE_FIRST_PRIMITIVE = 4, /* types below are references */
    ELEMENT_TYPES = 12,
};

struct heapredact {
    struct heapredact_request request;
    struct heapredact_table table;
    struct heapredact_counts counts;
    struct heapredact_error error;
    uint32_t id_bytes;
    uint32_t kept_types; /* bit N: arrays of the type N keep their elements */
    uint64_t name_count; /* names that were made for --names */
    uint8_t types[FIELDS_MAX];
    unsigned char scanned[DUMPSCAN_WINDOW], copied[DUMPSCAN_WINDOW];
};

/* One reading of the file. */
struct pass {
    struct heapredact *h;
    struct heapwindow scan, copy; /* what the walk sees; what is copied */
    struct sink *out;             /* NULL: the first reading, which writes nothing */
    uint64_t done;                /* the bytes in front of this offset were written */
    uint32_t ticks;
};

static const unsigned char zeros[PIECE];

static int stop(struct pass *p, int code, uint64_t at, const char *detail)
{
    if (p->h->error.code == 0)
        p->h->error = (struct heapredact_error){code, at, detail};
    return p->h->error.code;
}

/* Bytes that must be there are missing. `at` is where the record begins that is incomplete. */
static int stop_short(struct pass *p, uint64_t at)
{
    int error = p->scan.error ? p->scan.error : p->copy.error;
    return stop(p, error ? error : E_TRUNCATED, at, NULL);
}

/* Writes what comes before `upto` as it is. */
static int copy_to(struct pass *p, uint64_t upto)
{
    while (p->out && p->done < upto) {
        uint64_t left = upto - p->done;
        size_t piece = left < PIECE ? (size_t)left : PIECE;
        const unsigned char *bytes = heapinput_see(&p->copy, p->done, piece);
        if (!bytes)
            return stop_short(p, p->done);
        sink_bytes(p->out, bytes, piece);
        p->done += piece;
    }
    return p->out && sink_error(p->out) ? stop(p, sink_error(p->out), p->done, NULL) : 0;
}

/* Writes zeros in place of what comes before `upto`. */
static void zero_to(struct pass *p, uint64_t upto)
{
    while (p->out && p->done < upto && !sink_error(p->out)) {
        uint64_t left = upto - p->done;
        size_t piece = left < PIECE ? (size_t)left : PIECE;
        sink_bytes(p->out, zeros, piece);
        p->done += piece;
    }
}

static void tell(struct pass *p, uint64_t at)
{
    const struct heapredact_request *r = &p->h->request;
    if (p->ticks++ % TELL_EACH == 0 && r->diag)
        diag_advance(r->diag, r->place, at, p->scan.input->bytes);
}

static bool is_primitive(unsigned type)
{
    return type >= TYPE_FIRST_PRIMITIVE && type < ELEMENT_TYPES;
}

/* ---- texts */

/* Writes another text in place of that of a UTF8 record. */
static void replace(struct pass *p, const struct dumpscan_record *r, const char *name)
{
    unsigned char length[4];
    uint32_t id_bytes = p->h->id_bytes, name_len = (uint32_t)strlen(name);
    be_put4(length, id_bytes + name_len);
    copy_to(p, r->at - sizeof(length));
    sink_bytes(p->out, length, sizeof(length));
    p->done += sizeof(length);
    copy_to(p, r->at + id_bytes);
    sink_bytes(p->out, name, name_len);
    p->done = r->at + r->bytes;
}

static void learn_text(struct pass *p, const struct dumpscan_record *r, uint64_t id)
{
    struct heapredact *h = p->h;
    uint64_t len = r->bytes - h->id_bytes;
    const unsigned char *text = len < HEAPREDACT_TEXT_MAX
                                    ? heapinput_see(&p->scan, r->at + h->id_bytes, (size_t)len)
                                    : NULL;
    if (text && len > 0)
        heapredact_table_mark(
            &h->table, id,
            heapredact_names_judge(&h->request.rule, (const char *)text, (size_t)len));
}

static int text_record(struct pass *p, const struct dumpscan_record *r)
{
    struct heapredact *h = p->h;
    const unsigned char *bytes = heapinput_see(&p->scan, r->at, h->id_bytes);
    char name[HPROF_REDACT_NAME];
    if (r->bytes < h->id_bytes)
        return stop(p, E_FORMAT, r->at, "a text without an identifier");
    if (!bytes)
        return stop_short(p, r->at);
    uint64_t id = be_id(bytes, h->id_bytes);
    if (!p->out) {
        learn_text(p, r, id);
        return 0;
    }
    enum hprof_redact_fate fate =
        hprof_redact_fate(&h->request.rule, heapredact_table_text(&h->table, id));
    h->counts.texts += fate != HPROF_REDACT_STAYS;
    if (fate == HPROF_REDACT_GOES) {
        copy_to(p, r->at + h->id_bytes);
        zero_to(p, r->at + r->bytes);
    } else if (fate != HPROF_REDACT_STAYS) {
        h->name_count += fate == HPROF_REDACT_MADE;
        replace(p, r, hprof_redact_name(fate, h->name_count, name));
    }
    return 0;
}

/* ---- records that refer to texts */

/* The first fields of a short record. Returns false, after stopping, if they are missing. */
static bool begin_fields(struct pass *p, const struct dumpscan_record *r, struct rd *ret_in)
{
    size_t len = r->bytes < FIELDS_OF_A_NAME ? (size_t)r->bytes : FIELDS_OF_A_NAME;
    const unsigned char *bytes = heapinput_see(&p->scan, r->at, len);
    if (!bytes)
        stop_short(p, r->at);
    rd_init(ret_in, bytes, bytes ? len : 0);
    return bytes != NULL;
}

/* Marks texts to which a short record refers. In `layout` 4 is a number, i an id without interest,
 * and n, d, t are ids of names of code, of descriptors, and of threads. */
static int names_record(struct pass *p, const struct dumpscan_record *r, const char *layout)
{
    struct heapredact *h = p->h;
    struct rd in;
    if (!begin_fields(p, r, &in))
        return h->error.code;
    for (const char *c = layout; *c != '\0'; c++) {
        uint64_t value = *c == '4' ? rd_u4(&in) : rd_id(&in, h->id_bytes);
        uint32_t bits = *c == 'n'   ? HPROF_REDACT_CODE
                        : *c == 'd' ? HPROF_REDACT_DESCRIPTOR
                        : *c == 't' ? HPROF_REDACT_THREAD
                                    : 0;
        if (bits != 0)
            heapredact_table_mark(&h->table, value, bits);
    }
    return in.error ? stop(p, E_FORMAT, r->at, "a record is shorter than its fields") : 0;
}

/* Learns which class has which name, in both readings: a later dump may have another class with the
 * same id. */
static int load_class(struct pass *p, const struct dumpscan_record *r)
{
    struct heapredact *h = p->h;
    struct rd in;
    if (!begin_fields(p, r, &in))
        return h->error.code;
    rd_u4(&in); /* serial number */
    uint64_t id = rd_id(&in, h->id_bytes);
    rd_u4(&in); /* trace */
    uint64_t name = rd_id(&in, h->id_bytes);
    if (in.error)
        return stop(p, E_FORMAT, r->at, "a record is shorter than its fields");
    uint32_t bits = heapredact_table_text(&h->table, name);
    struct heapredact_class *c = heapredact_table_add(&h->table, id);
    heapredact_table_mark(&h->table, name, HPROF_REDACT_CLASS);
    if (c) {
        c->is_kept = (bits & HEAPREDACT_KEPT) != 0;
        c->is_of_jdk = (bits & HEAPREDACT_OF_JDK) != 0;
    }
    return 0;
}

/* ---- heap records */

/* Whether a field with this name and type is zeroed in objects that do not keep their values. */
static bool is_zeroed(const struct heapredact *h, uint64_t name, unsigned type)
{
    return hprof_redact_zeroes(h->request.rule.values, type,
                               (heapredact_table_text(&h->table, name) & HEAPREDACT_HASH) != 0);
}

/* A walk over the constants, static fields and fields of a class. */
struct items {
    struct pass *p;
    uint64_t at;                  /* where the item begins */
    enum dumpscan_item_kind kind; /* of the items that `at` stands among */
    bool is_kept;
    uint32_t used_by; /* bit of the names of fields */
    uint32_t count;   /* fields so far */
};

static bool take_item(void *with, const struct dumpscan_item *item)
{
    struct items *i = with;
    struct heapredact *h = i->p->h;
    bool is_constant = item->kind == DUMPSCAN_CONSTANT;
    for (; i->kind < item->kind; i->kind++)
        i->at += 2; /* how many items of the next kind there are */
    uint64_t value_at = i->at + (is_constant ? 2 : h->id_bytes) + 1;
    unsigned bytes =
        item->kind == DUMPSCAN_FIELD ? 0 : dumpscan_type_bytes(item->type, h->id_bytes);
    bool goes = is_constant ? h->request.rule.values == HPROF_REDACT_ALL && is_primitive(item->type)
                            : is_zeroed(h, item->name, item->type);
    if (!is_constant)
        heapredact_table_mark(&h->table, item->name, i->used_by);
    if (item->kind == DUMPSCAN_FIELD && i->count < FIELDS_MAX)
        h->types[i->count++] = (uint8_t)(item->type | (goes ? HEAPREDACT_ZEROED : 0));
    if (bytes > 0 && goes && !i->is_kept) {
        copy_to(i->p, value_at);
        zero_to(i->p, value_at + bytes);
    }
    i->at = value_at + bytes;
    return true;
}

static void class_dump(struct pass *p, const struct dumpscan *s)
{
    struct heapredact *h = p->h;
    const struct heapredact_class *c = heapredact_table_class(&h->table, s->r.object);
    struct items items = {
        .p = p,
        .at = s->body_at + 2,
        .is_kept = c && c->is_kept,
        .used_by = c && c->is_of_jdk ? HPROF_REDACT_JDK_FIELD : HPROF_REDACT_FIELD,
    };
    dumpscan_each_item(s->window, h->id_bytes, s->body_at, s->body_at + s->body_bytes, take_item,
                       &items);
    heapredact_table_define(&h->table, s->r.object, s->r.super, h->types, items.count);
    h->counts.objects += p->out != NULL;
}

/* Writes the fields of one class of an instance, whose values begin at *at. */
static void own_values(struct pass *p, const struct heapredact_class *c, uint64_t *at)
{
    const struct heapredact_table *t = &p->h->table;
    const uint8_t *types = t->types + c->first;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t bytes = heapredact_table_size(t, types[i]);
        if (types[i] & HEAPREDACT_ZEROED) {
            copy_to(p, *at);
            zero_to(p, *at + bytes);
        }
        *at += bytes;
    }
}

static void instance(struct pass *p, const struct dumpscan *s)
{
    struct heapredact *h = p->h;
    uint64_t at = s->body_at;
    if (!p->out)
        return;
    struct heapredact_class *c = heapredact_table_class(&h->table, s->r.klass);
    h->counts.objects++;
    if (c && c->is_kept)
        return;
    if (c)
        heapredact_table_check(&h->table, c);
    if (!c || !c->is_whole || c->bytes != s->body_bytes) {
        h->counts.unknown++;
        copy_to(p, s->body_at);
        zero_to(p, s->body_at + s->body_bytes);
        return;
    }
    for (; c && !c->is_copied && at < s->body_at + s->body_bytes;
         c = c->super != 0 ? heapredact_table_class(&h->table, c->super) : NULL)
        own_values(p, c, &at);
}

static void primitives(struct pass *p, const struct dumpscan *s)
{
    struct heapredact *h = p->h;
    if (!p->out || (h->kept_types >> s->r.type & 1) != 0 || s->body_bytes == 0)
        return;
    h->counts.arrays++;
    h->counts.array_bytes += s->body_bytes;
    copy_to(p, s->body_at);
    zero_to(p, s->body_at + s->body_bytes);
}

static int heap_dump(struct pass *p, const struct dumpscan_record *r)
{
    struct heapredact *h = p->h;
    const struct dumpscan_extent extent = {.at = r->at, .end = r->at + r->bytes};
    struct dumpscan s = {
        .window = &p->scan, .id_bytes = h->id_bytes, .extents = &extent, .extent_count = 1};
    while (h->error.code == 0 && dumpscan_next(&s)) {
        if (s.tag == HEAP_RECORD_CLASS)
            class_dump(p, &s);
        else if (s.tag == HEAP_RECORD_INSTANCE)
            instance(p, &s);
        else if (s.tag == HEAP_RECORD_PRIMITIVES)
            primitives(p, &s);
        if (s.at - p->done > LAG)
            copy_to(p, s.at);
        tell(p, s.at);
    }
    if (s.unknown_records > 0)
        return stop(p, E_FORMAT, s.unknown_at, "a heap record that makes no sense");
    if (s.missing > 0) {
        copy_to(p, s.record_at);
        return stop_short(p, s.record_at);
    }
    return h->error.code;
}

/* ---- the file */

static int record(struct pass *p, const struct dumpscan_record *r)
{
    tell(p, r->at);
    switch (r->tag) {
    case HPROF_BIN_UTF8:
        return text_record(p, r);
    case HPROF_BIN_LOAD_CLASS:
        return load_class(p, r);
    case HPROF_BIN_FRAME:
        return names_record(p, r, "indn");
    case HPROF_BIN_START_THREAD:
        return names_record(p, r, "4i4ttt");
    case HPROF_BIN_HEAP_DUMP:
    case HPROF_BIN_HEAP_SEGMENT:
        return heap_dump(p, r);
    case HPROF_BIN_UNLOAD_CLASS:
    case HPROF_BIN_TRACE:
    case HPROF_BIN_ALLOC_SITES:
    case HPROF_BIN_HEAP_SUMMARY:
    case HPROF_BIN_END_THREAD:
    case HPROF_BIN_CPU_SAMPLES:
    case HPROF_BIN_CONTROL_SETTINGS:
    case HPROF_BIN_HEAP_DUMP_END:
        return 0;
    default:
        copy_to(p, r->at);
        zero_to(p, r->at + r->bytes);
        return 0;
    }
}

static int header(struct pass *p, uint64_t *ret_at)
{
    struct dumpscan_head head;
    int error = dumpscan_read_head(&p->scan, &head);
    if (error < 0)
        return stop(p, error, 0,
                    error == E_FORMAT ? "not a heap dump: it does not begin with JAVA PROFILE 1.0.2"
                                      : NULL);
    if (strcmp(head.version, "JAVA PROFILE 1.0.3") == 0)
        return stop(p, E_UNSUPPORTED, 0, "a dump of Android (1.0.3), which cannot be redacted");
    p->h->id_bytes = p->h->table.id_bytes = head.id_bytes;
    *ret_at = head.bytes;
    return 0;
}

/* Reads one record, and writes it. Returns 1; 0 at the end; negative: it stopped. */
static int next(struct pass *p, uint64_t *at)
{
    struct heapredact *h = p->h;
    struct dumpscan_record r;
    uint64_t start = *at;
    int got = dumpscan_next_record(&p->scan, h->id_bytes, at, &r);
    if (got < 0)
        return stop_short(p, start);
    if (got == 0)
        return 0;
    bool is_heap = r.tag == HPROF_BIN_HEAP_DUMP || r.tag == HPROF_BIN_HEAP_SEGMENT;
    if (r.missing > 0 && !is_heap)
        return stop_short(p, start);
    int error = record(p, &r);
    if (error == 0 && r.missing > 0)
        error = stop_short(p, r.at + r.bytes);
    if (error == 0 && h->table.error)
        error = stop(p, h->table.error, start,
                     h->table.error == E_LIMIT ? "a class with more than 256 superclasses" : NULL);
    if (error == 0 && *at - p->done > LAG)
        error = copy_to(p, *at);
    return error < 0 ? error : 1;
}

static int read_file(struct heapredact *h, const struct heapinput *in, struct sink *out)
{
    struct pass p = {
        .h = h,
        .scan = {.input = in, .buffer = h->scanned, .room = sizeof(h->scanned)},
        .copy = {.input = in, .buffer = h->copied, .room = sizeof(h->copied)},
        .out = out,
    };
    uint64_t at = 0;
    h->error = (struct heapredact_error){0};
    h->counts = (struct heapredact_counts){0};
    int r = header(&p, &at);
    while (r == 0 && (r = next(&p, &at)) > 0)
        r = 0;
    /* What came before an incomplete record is whole. */
    if (r == 0)
        copy_to(&p, at);
    else if (r == E_TRUNCATED && p.done < h->error.offset)
        copy_to(&p, h->error.offset);
    if (h->request.diag)
        diag_advance(h->request.diag, h->request.place, UINT64_MAX, 0);
    return h->error.code;
}

int heapredact_learn(struct heapredact *h, const struct heapinput *in)
{
    return read_file(h, in, NULL);
}

int heapredact_write(struct heapredact *h, const struct heapinput *in, struct sink *out)
{
    return read_file(h, in, out);
}

struct heapredact *heapredact_new(const struct heapredact_request *request)
{
    struct heapredact *h = calloc(1, sizeof(*h));
    if (!h)
        return NULL;
    h->request = *request;
    h->kept_types = hprof_redact_kept_types(&request->rule);
    heapredact_table_init(&h->table);
    return h;
}

void heapredact_free(struct heapredact *h)
{
    if (h)
        heapredact_table_done(&h->table);
    free(h);
}

const struct heapredact_error *heapredact_why(const struct heapredact *h)
{
    return &h->error;
}

const struct heapredact_counts *heapredact_done(const struct heapredact *h)
{
    return &h->counts;
}
