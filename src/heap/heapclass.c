/*
 * heapclass.c - the classes of a dump.
 *
 * Sources of sizes: HotSpot's fieldLayoutBuilder.cpp and arrayOop.hpp; Eclipse MAT's
 * HprofParserHandlerImpl.java for GRAPH_SIZES_MAT.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heapclass.h"
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/javaname.h"
#include "base/splitmix.h"
#include "format/heap_record.h"
#include "heap/addrmap.h"

enum {
    FIRST_SLOTS = 1 << 12,
    TYPE_OBJECT = 2,
    TYPE_FIRST = 4,
    NAME_BYTES = 4096,
    SMALLEST = 16,    /* bytes of the smallest object */
    SUPERS_MAX = 1000 /* classes above a class; programs have less than a hundred */
};

void heapclass_init(struct heapclass *c, struct heaproom *room, struct dumpnames *names,
                    struct heapwindow *window, unsigned id_bytes)
{
    *c = (struct heapclass){.room = room, .names = names, .window = window, .id_bytes = id_bytes};
    c->java_lang_class = c->java_lang_string = GRAPH_NO_CLASS;
    for (int i = 0; i < HEAPCLASS_TYPES; i++)
        c->of_type[i] = GRAPH_NO_CLASS;
}

void heapclass_done(struct heapclass *c)
{
    heaproom_list_done(&c->rows, c->room);
    heaproom_list_done(&c->fields, c->room);
    heaproom_list_done(&c->refs, c->room);
    heaproom_give(c->room, c->slots, c->slot_count * sizeof(*c->slots));
    heaproom_give(c->room, c->infos, c->info_count * sizeof(*c->infos));
    heaproom_give(c->room, c->shown, c->shown_count * sizeof(*c->shown));
    c->slots = NULL;
    c->infos = NULL;
    c->shown = NULL;
}

static uint64_t slot_of(const struct heapclass *c, uint64_t id)
{
    uint64_t mask = c->slot_count - 1, at = splitmix_mix(id ^ c->room->seed) & mask;
    while (c->slots[at] != 0 && heapclass_row(c, c->slots[at] - 1)->id != id)
        at = (at + 1) & mask;
    return at;
}

graph_class heapclass_find(const struct heapclass *c, uint64_t id)
{
    if (c->slot_count == 0)
        return GRAPH_NO_CLASS;
    uint32_t place = c->slots[slot_of(c, id)];
    return place == 0 ? GRAPH_NO_CLASS : place - 1;
}

static int grow_slots(struct heapclass *c)
{
    uint64_t old = c->slot_count, count = old == 0 ? FIRST_SLOTS : old * 2;
    uint32_t *slots = heaproom_take(c->room, count * sizeof(*slots));
    if (!slots)
        return E_LIMIT;
    heaproom_give(c->room, c->slots, old * sizeof(*slots));
    c->slots = slots;
    c->slot_count = count;
    for (uint64_t i = 0; i < c->rows.count; i++)
        c->slots[slot_of(c, heapclass_row(c, (graph_class)i)->id)] = (uint32_t)(i + 1);
    return 0;
}

static struct heapclass_row *add_row(struct heapclass *c, uint64_t id)
{
    if (c->rows.count >= GRAPH_NO_CLASS - 1)
        return NULL;
    struct heapclass_row *row = heaproom_list_add(&c->rows, c->room, sizeof(*row));
    if (row)
        *row = (struct heapclass_row){.id = id, .object = HEAPNODE_NONE, .least_gap = UINT64_MAX};
    return row;
}

graph_class heapclass_of(struct heapclass *c, uint64_t id)
{
    graph_class klass = heapclass_look(c, id);
    if (klass != GRAPH_NO_CLASS)
        return klass;
    if (c->rows.count * 2 >= c->slot_count && grow_slots(c) < 0)
        return GRAPH_NO_CLASS;
    if (!add_row(c, id))
        return GRAPH_NO_CLASS;
    klass = (graph_class)(c->rows.count - 1);
    c->slots[slot_of(c, id)] = klass + 1;
    return klass;
}

/* Where the fields of one class go. */
struct taking {
    struct heapclass *to;
    uint32_t fields, statics, refs, plain_bytes;
    int error;
};

static bool take_item(void *with, const struct dumpscan_item *item)
{
    struct taking *t = with;
    if (item->kind == DUMPSCAN_CONSTANT)
        return true;
    struct heapclass_field *f = heaproom_list_add(&t->to->fields, t->to->room, sizeof(*f));
    if (!f) {
        t->error = E_LIMIT;
        return false;
    }
    *f = (struct heapclass_field){.name = item->name,
                                  .type = item->type == 1 ? TYPE_OBJECT : (uint8_t)item->type};
    if (item->kind == DUMPSCAN_STATIC) {
        t->statics++;
        return true;
    }
    t->fields++;
    if (f->type == TYPE_OBJECT)
        t->refs++;
    else
        t->plain_bytes += dumpscan_type_bytes(f->type, 0);
    return true;
}

int heapclass_take(struct heapclass *c, struct dumpscan *s)
{
    graph_class klass = heapclass_of(c, s->r.object);
    if (klass == GRAPH_NO_CLASS)
        return E_LIMIT;
    if (heapclass_row(c, klass)->has_record)
        return 0;
    struct taking t = {.to = c};
    uint64_t first = c->fields.count;
    dumpscan_each_item(s->window, s->id_bytes, s->body_at, s->body_at + s->body_bytes, take_item,
                       &t);
    if (t.error < 0)
        return t.error;
    struct heapclass_row *row = heapclass_row(c, klass);
    row->ids.super = s->r.super;
    row->ids.loader = s->r.loader;
    row->ids.signers = s->r.signers;
    row->ids.domain = s->r.domain;
    row->trace = s->r.trace;
    row->body_at = s->body_at;
    row->body_bytes = s->body_bytes;
    row->own.first_static = first; /* in the file static fields come first */
    row->own.static_count = t.statics;
    row->own.first_field = first + t.statics;
    row->own.field_count = t.fields;
    row->own.refs = t.refs;
    row->own.plain_bytes = t.plain_bytes;
    row->has_record = true;
    return 0;
}

/* The type of the elements of an array class, by the VM's name of the class or by Java's. */
static unsigned element_type(const char *name)
{
    static const char *const vm_names[HEAPCLASS_TYPES] = {
        [4] = "[Z", [5] = "[C", [6] = "[F",  [7] = "[D",
        [8] = "[B", [9] = "[S", [10] = "[I", [11] = "[J",
    };
    for (unsigned i = TYPE_FIRST; i < HEAPCLASS_TYPES; i++)
        if (strcmp(name, vm_names[i]) == 0 || strcmp(name, heap_record_array_name(i)) == 0)
            return i;
    size_t len = strlen(name);
    if (name[0] == '[' || (len > 2 && strcmp(name + len - 2, "[]") == 0))
        return TYPE_OBJECT;
    return 0;
}

static const char *java_name(struct heapclass *c, const char *name)
{
    char text[NAME_BYTES];
    size_t len = strlen(name);
    if (name[0] == '[') {
        javaname_of_type(name, text, sizeof(text));
    } else {
        len = len < sizeof(text) ? len : sizeof(text) - 1;
        memcpy(text, name, len);
        text[len] = '\0';
        javaname_put_dots(text);
    }
    return dumpnames_keep(c->names, text, strlen(text));
}

static int name_class(struct heapclass *c, graph_class klass, const struct addrmap *map)
{
    struct heapclass_row *row = heapclass_row(c, klass);
    struct graph_class_info *info = &c->infos[klass];
    const struct dumpnames_class *load = dumpnames_class(c->names, row->id);
    const char *name = load ? dumpnames_text(c->names, c->window, load->name) : "";
    unsigned type = element_type(name);
    uint64_t object = row->has_record ? addrmap_number(map, row->id) : UINT64_MAX;
    uint64_t loader = row->ids.loader == 0 ? UINT64_MAX : addrmap_number(map, row->ids.loader);
    *info = (struct graph_class_info){.name = name[0] ? java_name(c, name) : "(unknown)"};
    if (!info->name)
        return E_LIMIT;
    row->object = object == UINT64_MAX ? HEAPNODE_NONE : (heapnode)object;
    info->object = object == UINT64_MAX ? GRAPH_NONE : object;
    info->loader = loader == UINT64_MAX ? GRAPH_NONE : loader;
    info->loader_class = GRAPH_NO_CLASS;
    info->super = row->ids.super == 0 ? GRAPH_NO_CLASS : heapclass_find(c, row->ids.super);
    info->is_array = row->is_array = row->is_array || type != 0;
    info->element_type = (enum graph_type)(row->is_array && type == 0 ? TYPE_OBJECT : type);
    info->trace = row->trace;
    if (type >= TYPE_FIRST && c->of_type[type] == GRAPH_NO_CLASS)
        c->of_type[type] = klass;
    if (strcmp(info->name, "java.lang.Class") == 0 && c->java_lang_class == GRAPH_NO_CLASS)
        c->java_lang_class = klass;
    if (strcmp(info->name, "java.lang.String") == 0 && c->java_lang_string == GRAPH_NO_CLASS)
        c->java_lang_string = klass;
    return 0;
}

/* Rows for the classes of arrays of primitives that the dump has no record for. */
static int add_array_classes(struct heapclass *c)
{
    for (unsigned i = TYPE_FIRST; i < HEAPCLASS_TYPES; i++) {
        if (c->of_type[i] != GRAPH_NO_CLASS)
            continue;
        struct heapclass_row *row = add_row(c, 0);
        if (!row)
            return E_LIMIT;
        row->is_array = true;
        c->of_type[i] = (graph_class)(c->rows.count - 1);
        c->infos[c->of_type[i]] = (struct graph_class_info){.name = heap_record_array_name(i),
                                                            .object = GRAPH_NONE,
                                                            .super = GRAPH_NO_CLASS,
                                                            .loader = GRAPH_NONE,
                                                            .loader_class = GRAPH_NO_CLASS,
                                                            .is_array = true,
                                                            .element_type = (enum graph_type)i};
    }
    return 0;
}

static void name_fields(struct heapclass *c, graph_class klass)
{
    const struct heapclass_row *row = heapclass_row(c, klass);
    struct graph_class_info *info = &c->infos[klass];
    const struct heapclass_field *fields = (const void *)c->fields.at;
    bool is_reference = strcmp(info->name, "java.lang.ref.Reference") == 0;
    bool is_finalizer = strcmp(info->name, "java.lang.ref.Finalizer") == 0;
    info->fields = c->shown + row->own.first_field;
    info->field_count = row->own.field_count;
    info->statics = c->shown + row->own.first_static;
    info->static_count = row->own.static_count;
    for (uint64_t i = 0; i < (uint64_t)row->own.field_count + row->own.static_count; i++) {
        bool is_static = i < row->own.static_count;
        uint64_t at = row->own.first_static + i;
        struct graph_field *f = &c->shown[at];
        f->name = dumpnames_text(c->names, c->window, fields[at].name);
        f->type = (enum graph_type)fields[at].type;
        f->is_referent = is_static ? is_finalizer && strcmp(f->name, "unfinalized") == 0
                                   : is_reference && strcmp(f->name, "referent") == 0;
    }
}

int heapclass_seal(struct heapclass *c, const struct addrmap *map)
{
    uint64_t count = c->rows.count;
    c->info_count = count + HEAPCLASS_TYPES;
    c->shown_count = c->fields.count;
    c->infos = heaproom_take(c->room, c->info_count * sizeof(*c->infos));
    c->shown = heaproom_take(c->room, c->shown_count * sizeof(*c->shown));
    if (!c->infos || !c->shown)
        return E_LIMIT;
    for (uint64_t i = 0; i < count; i++)
        if (name_class(c, (graph_class)i, map) < 0)
            return E_LIMIT;
    for (uint64_t i = 0; i < count; i++)
        if (heapclass_row(c, (graph_class)i)->has_record)
            name_fields(c, (graph_class)i);
    return add_array_classes(c);
}

/* The class above; GRAPH_NO_CLASS at the end, also where a damaged file has a ring of classes. */
static graph_class above(const struct heapclass *c, graph_class klass, uint64_t *steps)
{
    graph_class super = c->infos[klass].super;
    return ++*steps > c->rows.count || *steps > SUPERS_MAX ? GRAPH_NO_CLASS : super;
}

const struct heapclass_ref *heapclass_refs(struct heapclass *c, graph_class klass,
                                           uint32_t *ret_count)
{
    struct heapclass_row *row = heapclass_row(c, klass);
    uint64_t steps = 0, offset = 0;
    if (!row->has_refs) {
        row->first_ref = c->refs.count;
        for (graph_class k = klass; k != GRAPH_NO_CLASS; k = above(c, k, &steps)) {
            const struct graph_class_info *info = &c->infos[k];
            for (uint32_t i = 0; i < info->field_count && offset < UINT32_MAX; i++) {
                if (info->fields[i].type == GRAPH_TYPE_OBJECT) {
                    struct heapclass_ref *ref = heaproom_list_add(&c->refs, c->room, sizeof(*ref));
                    if (!ref) {
                        *ret_count = 1;
                        return NULL;
                    }
                    *ref = (struct heapclass_ref){(uint32_t)offset,
                                                  info->fields[i].is_referent ? HEAPCLASS_WEAK : 0};
                }
                offset += dumpscan_type_bytes(info->fields[i].type, c->id_bytes);
            }
        }
        row->ref_count = (uint32_t)(c->refs.count - row->first_ref);
        row->has_refs = true;
    }
    *ret_count = row->ref_count;
    return (const struct heapclass_ref *)(const void *)c->refs.at + row->first_ref;
}

static uint64_t align(uint64_t bytes, uint64_t to)
{
    return (bytes + to - 1) / to * to;
}

static uint64_t own_bytes(const struct heapclass *c, graph_class klass, unsigned ref_bytes)
{
    const struct heapclass_own *own = &heapclass_row(c, klass)->own;
    return own->plain_bytes + (uint64_t)own->refs * ref_bytes;
}

/* As MAT computes it: each class of the chain is aligned by itself. */
static uint64_t mat_instance(const struct heapclass *c, graph_class klass,
                             const struct graph_layout *l)
{
    uint64_t bytes = l->id_bytes + l->ref_bytes, steps = 0;
    graph_class chain[64];
    unsigned depth = 0;
    for (graph_class k = klass; k != GRAPH_NO_CLASS && depth < 64; k = above(c, k, &steps))
        chain[depth++] = k;
    /* Object is at the end of the chain, and has the header alone. */
    while (depth > 0) {
        uint64_t own = own_bytes(c, chain[--depth], l->ref_bytes);
        bytes = align(own + bytes, l->ref_bytes);
    }
    return align(bytes, 8);
}

/* The fields laid close together; the true layout may have gaps between the classes of the chain.
 */
static uint64_t packed_instance(const struct heapclass *c, graph_class klass,
                                const struct graph_layout *l)
{
    uint64_t bytes = l->header_bytes, steps = 0;
    for (graph_class k = klass; k != GRAPH_NO_CLASS; k = above(c, k, &steps))
        bytes += own_bytes(c, k, l->ref_bytes);
    return align(bytes, l->alignment);
}

void heapclass_measure(struct heapclass *c, const struct graph_layout *layout,
                       enum graph_sizes sizes)
{
    for (uint64_t i = 0; i < c->rows.count; i++) {
        struct heapclass_row *row = heapclass_row(c, (graph_class)i);
        struct graph_class_info *info = &c->infos[i];
        if (info->is_array)
            continue;
        if (sizes == GRAPH_SIZES_MAT) {
            info->instance_bytes = mat_instance(c, (graph_class)i, layout);
            continue;
        }
        /* What lies behind an instance may be an object that the dump has not, so that the
         * distance is a bound. A gap between fields is shorter than the smallest object. */
        uint64_t packed = packed_instance(c, (graph_class)i, layout);
        uint64_t least = layout->alignment < SMALLEST ? SMALLEST : layout->alignment;
        bool is_near = row->least_gap >= packed && row->least_gap - packed < least;
        info->instance_bytes =
            is_near && row->least_gap % layout->alignment == 0 ? row->least_gap : packed;
    }
}

uint64_t heapclass_array_bytes(const struct graph_layout *layout, enum graph_sizes sizes,
                               unsigned type, uint64_t count)
{
    unsigned each = dumpscan_type_bytes(type, layout->ref_bytes);
    if (sizes == GRAPH_SIZES_MAT) {
        uint64_t head = layout->id_bytes + layout->ref_bytes + 4;
        return align(type == TYPE_OBJECT ? head + count * each
                                         : align(head, layout->ref_bytes) + count * each,
                     8);
    }
    uint64_t head = align(layout->array_bytes, each < 4 ? 1 : each);
    return align(head + count * each, layout->alignment);
}

uint64_t heapclass_object_bytes(const struct heapclass *c, graph_class self,
                                const struct graph_layout *layout, enum graph_sizes sizes)
{
    const struct graph_class_info *info = &c->infos[self];
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < info->static_count; i++)
        bytes += dumpscan_type_bytes(info->statics[i].type, layout->ref_bytes);
    if (sizes == GRAPH_SIZES_MAT)
        return align(bytes, 8);
    if (c->java_lang_class != GRAPH_NO_CLASS)
        bytes += c->infos[c->java_lang_class].instance_bytes;
    return align(bytes, layout->alignment);
}
