/*
 * dumpwriter_class.c - see dumpwriter_class.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapdump/dumpwriter_class.h"
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "base/err.h"
#include "base/javaname.h"
#include "heapdump/dumpwriter_id.h"
#include "heapdump/dumpwriter_links.h"
#include "hotspot/target.h"
#include "safe/hs_method.h"
#include "safe/mem.h"

enum {
    ACC_INTERFACE = 0x0200,
    NAME_MAX_BYTES = 65536,
    SHORT_NAME = 256,
    STRING_SLOTS = 1 << 15,
};

/* The names of fields; each is written once. The key is the Symbol, because the VM has one Symbol
 * for each text. A name that does not stay (hprof_redact_fate()) has another row: the key is odd.
 */
struct names {
    struct name {
        uint64_t key, id;
        const char *text;
    } slots[STRING_SLOTS];
    uint32_t used;
    uint64_t constants; /* id of the name of arrays of resolved constants; 0: not written yet */
};

/* The text of a Symbol with `before` and `after` around it, in the arena. NULL: no memory. */
static char *symbol_text(struct dumpwriter *w, uint64_t symbol, const char *before,
                         const char *after)
{
    const struct target *t = w->heap->target;
    struct mem_view view = {.mem = t->mem};
    size_t head = strlen(before), tail = strlen(after);
    uint32_t len = mem_view_u2(&view, symbol + (uint64_t)t->layout->symbol_length);
    char *text = arena_alloc(w->find->arena, head + len + tail + 1);
    if (!text)
        return NULL;
    memcpy(text, before, head);
    if (mem_read(t->mem, symbol + (uint64_t)t->layout->symbol_body, text + head, len) < 0)
        len = 0;
    memcpy(text + head + len, after, tail + 1);
    return text;
}

static uint64_t write_string(struct dumpwriter *w, const char *text)
{
    uint64_t id = w->next_string++;
    w->out->ops->string(w->out, id, text, strlen(text));
    return id;
}

/* The name of a field as the file has it; NULL: no memory. */
static const char *field_text(struct dumpwriter *w, uint64_t symbol, enum hprof_redact_fate fate)
{
    char *room;
    if (fate == HPROF_REDACT_STAYS)
        return symbol_text(w, symbol, "", "");
    room = arena_alloc(w->find->arena, HPROF_REDACT_NAME);
    return room ? hprof_redact_name(fate, hprof_redact_number(w->next_string), room) : NULL;
}

static const struct name *field_name(struct dumpwriter *w, struct names *names,
                                     const struct dumpwriter_class *of, uint64_t symbol)
{
    static const struct name unknown = {0, 0, "<unknown field>"};
    enum hprof_redact_fate fate = hprof_redact_fate(
        &w->facts->redact, of->is_of_jdk ? HPROF_REDACT_JDK_FIELD : HPROF_REDACT_FIELD);
    uint64_t key = symbol | (fate != HPROF_REDACT_STAYS);
    uint32_t at = (uint32_t)((symbol >> 3) * 0x9e3779b97f4a7c15ull >> 45) & (STRING_SLOTS - 1);
    while (names->slots[at].key && names->slots[at].key != key)
        at = (at + 1) & (STRING_SLOTS - 1);
    struct name *n = &names->slots[at];
    if (n->key)
        return n;
    const char *text = field_text(w, symbol, fate);
    if (!text)
        return &unknown;
    struct name fresh = {key, write_string(w, text), text};
    /* when the table is half full, a name may be written twice */
    if (names->used < STRING_SLOTS / 2) {
        names->used++;
        *n = fresh;
        return n;
    }
    struct name *kept = arena_alloc(w->find->arena, sizeof(*kept));
    if (!kept)
        return &unknown;
    *kept = fresh;
    return kept;
}

static int name_class(struct dumpwriter *w, const struct heap_class *k, struct dumpwriter_class *to)
{
    char *signature, *name;
    size_t size;
    if (to->out.name)
        return 0;
    signature = symbol_text(w, k->name, "L", ";");
    if (!signature)
        return -ENOMEM;
    size = strlen(signature) * 2 + 16;
    name = arena_alloc(w->find->arena, size);
    if (!name)
        return -ENOMEM;
    if (signature[1] == '[') { /* the name of an array class is its signature */
        signature[strlen(signature) - 1] = 0;
        signature++;
    }
    to->out.name = javaname_of_type(signature, name, size);
    to->out.serial = w->next_serial++;
    return 0;
}

static bool is_interface(const struct dumpwriter *w, const struct heap_class *k)
{
    uint16_t flags = 0;
    mem_read(w->heap->target->mem, k->klass + w->access_flags, &flags, sizeof(flags));
    return (flags & ACC_INTERFACE) != 0;
}

uint32_t dumpwriter_class_trace(struct dumpwriter *w, uint64_t object)
{
    if (!w->facts->sites || !heap_has(w->heap, object))
        return w->facts->system_trace;
    return w->facts->trace_of(w->facts->trace_arg, w->facts->sites[(object - w->heap->low) >> 3]);
}

static struct hprof_heap_class *record_of(const struct heap_class *k)
{
    struct dumpwriter_class *c = k ? k->user : NULL;
    return c ? &c->out : NULL;
}

/* Adds the array of resolved constants as a static field, as HotSpot's own dumps do
 * (heapDumper.cpp, dump_static_fields). */
static void fill_resolved(struct dumpwriter *w, struct names *names, const struct heap_class *k,
                          struct hprof_heap_class *out)
{
    static const char text[] = "<resolved_references>";
    uint64_t array = k->resolved ? heap_resolve(w->heap, k->resolved) : 0;
    if (!heap_mark_has(&w->find->mark, array))
        return;
    if (names->constants == 0)
        names->constants = write_string(w, text);
    out->statics[out->static_count++] =
        (struct hprof_heap_field){names->constants, text, HPROF_OBJECT, dumpwriter_id_of(w, array)};
}

/* Whether the values of a field become zeros in objects of the class `of`, or in its statics. The
 * field may have no record yet. */
static bool is_zeroed(struct dumpwriter *w, const struct dumpwriter_class *of,
                      const struct heap_field *f)
{
    enum hprof_redact values = w->facts->redact.values;
    const struct target *t = w->heap->target;
    struct mem_view view = {.mem = t->mem};
    char text[SHORT_NAME];
    if (of->is_kept || !hprof_redact_zeroes(values, f->type, true))
        return false;
    /* The name is read only where it matters. Without its name a field is zeroed. */
    if (hprof_redact_zeroes(values, f->type, false))
        return true;
    uint32_t len = mem_view_u2(&view, f->name + (uint64_t)t->layout->symbol_length);
    const char *name = text;
    if (len > sizeof(text))
        name = symbol_text(w, f->name, "", "");
    else if (mem_read(t->mem, f->name + (uint64_t)t->layout->symbol_body, text, len) < 0)
        name = NULL;
    return !name || hprof_redact_is_hash(name, len);
}

static int fill_fields(struct dumpwriter *w, struct names *names, const struct heap_class *k,
                       struct dumpwriter_class *to)
{
    struct hprof_heap_class *out = &to->out;
    out->fields = arena_alloc(w->find->arena, (k->field_count + 1) * sizeof(*out->fields));
    out->statics = arena_alloc(w->find->arena, (k->static_count + 2) * sizeof(*out->statics));
    if (!out->fields || !out->statics)
        return -ENOMEM;
    for (uint32_t i = 0; i < k->field_count + k->static_count; i++) {
        bool is_static = i >= k->field_count;
        const struct heap_field *f = is_static ? &k->statics[i - k->field_count] : &k->fields[i];
        enum hprof_heap_type type = (enum hprof_heap_type)f->type;
        if (w->facts->leave_primitive_fields && type != HPROF_OBJECT)
            continue;
        const struct name *n = field_name(w, names, to, f->name);
        struct hprof_heap_field row = {n->id, n->text, type, 0};
        uint64_t mirror = is_static ? heap_resolve(w->heap, k->mirror) : 0;
        if (mirror && heap_class_holds_static(&w->find->classes, mirror, f) && !is_zeroed(w, to, f))
            row.value = dumpwriter_id_or_value(w, type, mirror + f->offset);
        if (is_static)
            out->statics[out->static_count++] = row;
        else
            out->fields[out->field_count++] = row;
    }
    if (w->facts->shows_resolved)
        fill_resolved(w, names, k, out);
    return 0;
}

/* Lists the values in an instance's record: its own fields first, then those of the superclass, and
 * so on. */
static int fill_values(struct dumpwriter *w, const struct heap_class *k,
                       struct dumpwriter_class *to)
{
    uint32_t count = 0, flat_count = 0;
    for (const struct heap_class *s = k; s; s = s->super) {
        count += s->field_count;
        for (uint32_t i = 0; i < s->field_count; i++)
            flat_count += s->fields[i].flat != NULL;
    }
    struct dumpwriter_flat *flats =
        flat_count == 0 ? NULL : arena_alloc(w->find->arena, count * sizeof(*flats));
    to->flats = flats;
    to->out.values = arena_alloc(w->find->arena, (count + 1) * sizeof(*to->out.values));
    if (!to->out.values || (flat_count > 0 && !flats))
        return -ENOMEM;
    for (const struct heap_class *s = k; s; s = s->super) {
        for (uint32_t i = 0; i < s->field_count; i++) {
            enum hprof_heap_type type = (enum hprof_heap_type)s->fields[i].type;
            if (w->facts->leave_primitive_fields && type != HPROF_OBJECT)
                continue;
            uint8_t bytes = type == HPROF_OBJECT ? 0 : (uint8_t)hprof_heap_size(type, 0);
            if (flats)
                flats[to->out.value_count] =
                    (struct dumpwriter_flat){s->fields[i].flat, s->fields[i].is_nullable};
            to->out.values[to->out.value_count++] = (struct hprof_heap_value){
                s->fields[i].offset, (uint16_t)type, bytes, is_zeroed(w, to, &s->fields[i])};
            to->out.instance_bytes += hprof_heap_size(type, w->out->id_bytes);
        }
    }
    if (to->out.value_count > w->value_max)
        w->value_max = to->out.value_count;
    return 0;
}

/* Writes the LOAD CLASS record. A serial stands for one id, so a class that the file has under
 * another id gets a new serial. */
static void announce(struct dumpwriter *w, struct dumpwriter_class *c)
{
    uint64_t before = c->known ? c->known->object : 0;
    if (before == c->out.object)
        return;
    if (before != 0)
        c->out.serial = w->next_serial++;
    w->out->ops->load_class(w->out, &c->out, write_string(w, c->out.name));
}

static int add(struct dumpwriter *w, struct names *names, struct dumpwriter_links *links,
               struct heap_class *k)
{
    struct dumpwriter_class *to = k->user;
    int error;
    if (!to)
        to = arena_alloc(w->find->arena, sizeof(*to));
    if (!to)
        return -ENOMEM;
    k->user = to;
    error = name_class(w, k, to);
    if (error)
        return error;
    to->is_kept = hprof_redact_keeps(&w->facts->redact, to->out.name, strlen(to->out.name));
    to->is_of_jdk = hprof_redact_is_of_jdk(to->out.name, strlen(to->out.name));
    to->out.object = dumpwriter_id_of(w, heap_resolve(w->heap, k->mirror));
    to->out.trace = dumpwriter_class_trace(w, heap_resolve(w->heap, k->mirror));
    error = dumpwriter_links_fill(w, links, k, &to->out);
    if (error == 0)
        error = fill_fields(w, names, k, to);
    if (error == 0 && k->array.header_bytes == 0) {
        error = fill_values(w, k, to);
        to->is_copied =
            w->copies && k->ref.strength == HEAP_STRONG && k->kind != HEAP_MIRROR && !to->flats;
        hprof_heap_bin_copy(w->out, &to->out, &to->copy);
    }
    if (error == 0 && to->out.object)
        announce(w, to);
    return error;
}

/* The listed classes, by the Symbol of their name. */
struct listed {
    struct heap_class **slots;
    uint32_t mask;
};

static struct heap_class **listed_slot(const struct listed *l, uint64_t name, uint32_t after)
{
    return &l->slots[((uint32_t)((name >> 3) * 0x9e3779b97f4a7c15ull >> 32) + after) & l->mask];
}

static int list_known(struct dumpwriter *w, struct listed *l)
{
    uint32_t size = 64;
    while (size < w->facts->known_count * 2)
        size *= 2;
    *l = (struct listed){arena_alloc(w->find->arena, size * sizeof(void *)), size - 1};
    for (uint32_t i = 0; l->slots && i < w->facts->known_count; i++) {
        struct heap_class *k = heap_class_at(&w->find->classes, w->facts->known[i].klass);
        uint32_t at = 0;
        while (k && *listed_slot(l, k->name, at))
            at++;
        if (k)
            *listed_slot(l, k->name, at) = k;
    }
    return l->slots ? 0 : -ENOMEM;
}

static uint64_t loader_data(const struct dumpwriter *w, const struct heap_class *k)
{
    int32_t at = w->find->classes.facts.klass_loader_data;
    return at < 0 ? 0 : target_u8(w->heap->target, k->klass + (uint64_t)at);
}

/* Whether another class is listed with this name and this loader. Then this class is an old version
 * from before a redefinition: its mirror is in the heap, but it has no objects. */
static bool is_old_version(const struct dumpwriter *w, const struct listed *l,
                           const struct heap_class *k)
{
    const struct heap_class *other = NULL;
    for (uint32_t at = 0; (other = *listed_slot(l, k->name, at)) && other != k; at++) {
        if (other->name == k->name && loader_data(w, other) == loader_data(w, k))
            return true;
    }
    return false;
}

/* JDK 27 moved the field from Klass to InstanceKlass, which begins with a Klass. */
static uint64_t access_flags_at(const struct target *t)
{
    int32_t at = target_field(t, "InstanceKlass", "_access_flags", -1);
    return (uint64_t)(at >= 0 ? at : target_field(t, "Klass", "_access_flags", 0));
}

int dumpwriter_class_all(struct dumpwriter *w)
{
    struct names *names = arena_alloc(w->find->arena, sizeof(*names));
    struct dumpwriter_links *links = arena_alloc(w->find->arena, sizeof(*links));
    struct listed listed = {0};
    int error = names && links ? dumpwriter_links_init(w, links) : -ENOMEM;
    if (error == 0)
        error = list_known(w, &listed);
    w->access_flags = access_flags_at(w->heap->target);
    if (!error && w->access_flags == 0) {
        w->why = "the access flags of a class";
        error = E_FACT_MISSING;
    }
    for (uint32_t i = 0; i < w->facts->known_count && !error; i++) {
        struct heap_class *k = heap_class_at(&w->find->classes, w->facts->known[i].klass);
        struct dumpwriter_class *to =
            k && !k->user ? arena_alloc(w->find->arena, sizeof(*to)) : NULL;
        if (!to)
            continue;
        to->out.name = w->facts->known[i].name;
        to->out.serial = w->facts->known[i].serial;
        to->known = &w->facts->known[i];
        k->user = to;
    }
    for (struct heap_class *k = w->find->classes.first; k && !error; k = k->next) {
        if (k->is_visited && (k->user || !is_old_version(w, &listed, k)))
            error = add(w, names, links, k);
        else
            k->user = NULL;
    }
    heap_class_share_users(&w->find->classes);
    /* Now that all records exist, link them. */
    for (struct heap_class *k = w->find->classes.first; k && !error; k = k->next) {
        struct hprof_heap_class *out = record_of(k);
        if (!out)
            continue;
        if (k->array.header_bytes != 0) /* the superclass that Java sees is Object */
            out->super = record_of(w->object_class);
        else if (k->super && !is_interface(w, k))
            out->super = record_of(k->super);
    }
    return error;
}

bool dumpwriter_class_has(const struct dumpwriter *w, const struct dumpwriter_known *known)
{
    const struct hprof_heap_class *out =
        record_of(heap_class_find(&w->find->classes, known->klass));
    return out && out->object != 0;
}

void dumpwriter_class_dump(struct dumpwriter *w)
{
    for (struct heap_class *k = w->find->classes.first; k; k = k->next) {
        const struct hprof_heap_class *out = record_of(k);
        if (out && out->object)
            w->out->ops->klass(w->out, out);
    }
}
