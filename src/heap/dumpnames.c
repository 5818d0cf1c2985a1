/*
 * dumpnames.c - the names in a heap dump.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/dumpnames.h"
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "format/hprof_bin.h"

enum { PIECE = 64 * 1024, NAME_MAX_BYTES = 16 * 1024, FIXED_MAX = 5 * 8 };

struct piece {
    char *at;
    uint64_t bytes;
};

void dumpnames_init(struct dumpnames *n, struct heaproom *room, unsigned id_bytes)
{
    *n = (struct dumpnames){.room = room, .id_bytes = id_bytes};
}

void dumpnames_done(struct dumpnames *n)
{
    const struct piece *pieces = (const void *)n->pieces.at;
    heaproom_give(n->room, n->by_serial, n->classes.count * sizeof(*n->by_serial));
    heaproom_list_done(&n->strings, n->room);
    heaproom_list_done(&n->classes, n->room);
    heaproom_list_done(&n->frames, n->room);
    heaproom_list_done(&n->traces, n->room);
    for (uint64_t i = 0; i < n->pieces.count; i++)
        heaproom_give(n->room, pieces[i].at, pieces[i].bytes);
    heaproom_list_done(&n->pieces, n->room);
    n->by_serial = NULL;
}

/* Reads a text into the memory of the names. NULL: no memory. */
static const char *read_text(struct dumpnames *n, struct heapwindow *w,
                             const struct dumpnames_string *row)
{
    uint64_t len = row->len > NAME_MAX_BYTES ? NAME_MAX_BYTES : row->len;
    const unsigned char *bytes = heapinput_see(w, row->at, len);
    len = bytes ? strnlen((const char *)bytes, len) : 0;
    return dumpnames_keep(n, bytes ? (const char *)bytes : "", len);
}

/* The bytes of a stream are seen once. */
static int take_string(struct dumpnames *n, struct heapwindow *w, const struct dumpscan_record *r,
                       struct rd *in)
{
    struct dumpnames_string row = {.id = rd_id(in, n->id_bytes), .at = r->at + n->id_bytes};
    if (r->missing > 0 || r->bytes < n->id_bytes)
        return 0;
    row.len = (uint32_t)(r->bytes - n->id_bytes);
    if (w->input->stream && !(row.text = read_text(n, w, &row)))
        return E_LIMIT;
    struct dumpnames_string *to = heaproom_list_add(&n->strings, n->room, sizeof(*to));
    if (!to)
        return E_LIMIT;
    *to = row;
    return 0;
}

static int take_class(struct dumpnames *n, struct rd *in)
{
    struct dumpnames_class row = {.serial = rd_u4(in)};
    row.id = rd_id(in, n->id_bytes);
    rd_u4(in);
    row.name = rd_id(in, n->id_bytes);
    if (in->error != 0)
        return 0;
    struct dumpnames_class *to = heaproom_list_add(&n->classes, n->room, sizeof(*to));
    if (!to)
        return E_LIMIT;
    *to = row;
    return 0;
}

static int take_frame(struct dumpnames *n, struct rd *in)
{
    struct dumpnames_frame row = {.id = rd_id(in, n->id_bytes)};
    row.method = rd_id(in, n->id_bytes);
    row.signature = rd_id(in, n->id_bytes);
    row.source = rd_id(in, n->id_bytes);
    row.class_serial = rd_u4(in);
    row.line = (int32_t)rd_u4(in);
    if (in->error != 0)
        return 0;
    struct dumpnames_frame *to = heaproom_list_add(&n->frames, n->room, sizeof(*to));
    if (!to)
        return E_LIMIT;
    *to = row;
    return 0;
}

static int take_trace(struct dumpnames *n, const struct dumpscan_record *r, struct rd *in)
{
    struct dumpnames_trace row = {.at = r->at + 12, .serial = rd_u4(in)};
    row.thread = rd_u4(in);
    row.count = rd_u4(in);
    if (in->error != 0)
        return 0;
    uint64_t most = (r->bytes - 12) / n->id_bytes;
    row.count = row.count > most ? (uint32_t)most : row.count;
    struct dumpnames_trace *to = heaproom_list_add(&n->traces, n->room, sizeof(*to));
    if (!to)
        return E_LIMIT;
    *to = row;
    return 0;
}

int dumpnames_take(struct dumpnames *n, struct heapwindow *w, const struct dumpscan_record *r)
{
    struct rd in;
    size_t fixed = r->bytes < FIXED_MAX ? (size_t)r->bytes : FIXED_MAX;
    if (r->tag != HPROF_BIN_UTF8 && r->tag != HPROF_BIN_LOAD_CLASS && r->tag != HPROF_BIN_FRAME &&
        r->tag != HPROF_BIN_TRACE)
        return 0;
    const unsigned char *b = heapinput_see(w, r->at, fixed);
    if (!b)
        return 0;
    rd_init(&in, b, fixed);
    if (r->tag == HPROF_BIN_UTF8)
        return take_string(n, w, r, &in);
    if (r->tag == HPROF_BIN_LOAD_CLASS)
        return take_class(n, &in);
    if (r->tag == HPROF_BIN_FRAME)
        return take_frame(n, &in);
    return take_trace(n, r, &in);
}

/* Rows that are equal keep the order of the file, so that the last one is found: a file with
 * several dumps may use an id again. */
static int by_string(const void *a, const void *b)
{
    const struct dumpnames_string *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int by_class(const void *a, const void *b)
{
    const struct dumpnames_class *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static int by_frame(const void *a, const void *b)
{
    const struct dumpnames_frame *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int by_trace(const void *a, const void *b)
{
    const struct dumpnames_trace *x = a, *y = b;
    if (x->serial != y->serial)
        return x->serial < y->serial ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

int dumpnames_seal(struct dumpnames *n)
{
    if (n->strings.count > 0)
        qsort(n->strings.at, n->strings.count, sizeof(struct dumpnames_string), by_string);
    if (n->classes.count > 0)
        qsort(n->classes.at, n->classes.count, sizeof(struct dumpnames_class), by_class);
    if (n->frames.count > 0)
        qsort(n->frames.at, n->frames.count, sizeof(struct dumpnames_frame), by_frame);
    if (n->traces.count > 0)
        qsort(n->traces.at, n->traces.count, sizeof(struct dumpnames_trace), by_trace);
    if (n->classes.count == 0)
        return 0;
    n->by_serial = heaproom_take(n->room, n->classes.count * sizeof(*n->by_serial));
    if (!n->by_serial)
        return E_LIMIT;
    for (uint64_t i = 0; i < n->classes.count; i++)
        n->by_serial[i] =
            (uint64_t)((struct dumpnames_class *)(void *)n->classes.at)[i].serial << 32 | i;
    qsort(n->by_serial, n->classes.count, sizeof(*n->by_serial), by_number);
    return 0;
}

/* The last row whose key, its first field, is `key`; NULL: none. */
static void *find_row(const struct heaproom_list *list, size_t bytes, uint64_t key)
{
    uint64_t low = 0, high = list->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2, id;
        memcpy(&id, list->at + middle * bytes, sizeof(id));
        if (id <= key)
            low = middle + 1;
        else
            high = middle;
    }
    uint64_t id;
    if (low == 0)
        return NULL;
    memcpy(&id, list->at + (low - 1) * bytes, sizeof(id));
    return id == key ? list->at + (low - 1) * bytes : NULL;
}

const struct dumpnames_class *dumpnames_class(const struct dumpnames *n, uint64_t id)
{
    return find_row(&n->classes, sizeof(struct dumpnames_class), id);
}

const struct dumpnames_frame *dumpnames_frame(const struct dumpnames *n, uint64_t id)
{
    return find_row(&n->frames, sizeof(struct dumpnames_frame), id);
}

const struct dumpnames_class *dumpnames_class_by_serial(const struct dumpnames *n, uint32_t serial)
{
    const struct dumpnames_class *rows = (const void *)n->classes.at;
    uint64_t low = 0, high = n->by_serial ? n->classes.count : 0;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (n->by_serial[middle] >> 32 < serial)
            low = middle + 1;
        else
            high = middle;
    }
    if (!n->by_serial || low == n->classes.count || n->by_serial[low] >> 32 != serial)
        return NULL;
    return &rows[(uint32_t)n->by_serial[low]];
}

const struct dumpnames_trace *dumpnames_trace(const struct dumpnames *n, uint32_t serial)
{
    const struct dumpnames_trace *rows = (const void *)n->traces.at;
    uint64_t low = 0, high = n->traces.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (rows[middle].serial <= serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && rows[low - 1].serial == serial ? &rows[low - 1] : NULL;
}

char *dumpnames_keep(struct dumpnames *n, const char *text, uint64_t len)
{
    if (n->free_bytes < len + 1) {
        uint64_t bytes = len + 1 > PIECE ? len + 1 : PIECE;
        struct piece *piece = heaproom_list_add(&n->pieces, n->room, sizeof(*piece));
        if (!piece)
            return NULL;
        *piece = (struct piece){.at = heaproom_take(n->room, bytes), .bytes = bytes};
        n->free = piece->at;
        n->free_bytes = piece->at ? bytes : 0;
        if (!piece->at)
            return NULL;
    }
    char *to = n->free;
    memcpy(to, text, len);
    to[len] = '\0';
    n->free += len + 1;
    n->free_bytes -= len + 1;
    return to;
}

const char *dumpnames_text(struct dumpnames *n, struct heapwindow *w, uint64_t id)
{
    struct dumpnames_string *row = find_row(&n->strings, sizeof(*row), id);
    if (!row)
        return "";
    if (!row->text)
        row->text = read_text(n, w, row);
    return row->text ? row->text : "";
}
