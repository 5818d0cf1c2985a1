/*
 * dumpwriter_links.c - see dumpwriter_links.h.
 *
 * Source: HotSpot javaClasses.hpp (java_lang_Class): up to JDK 24 the VM injects the fields for
 * signers and protection domain.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapdump/dumpwriter_links.h"
#include <errno.h>
#include <stdbool.h>
#include "heapdump/dumpwriter_id.h"

/* Whether a Java field lies at this offset. */
static bool is_field(const struct heap_class *k, uint32_t offset)
{
    for (; k; k = k->super) {
        for (uint32_t i = 0; i < k->field_count; i++) {
            if (k->fields[i].offset == offset)
                return true;
        }
    }
    return false;
}

static void find_hidden(const struct dumpwriter *w, struct dumpwriter_links *l,
                        const struct heap_class *mirrors)
{
    for (uint32_t r = 0; r < mirrors->run_count; r++) {
        for (uint32_t i = 0; i < mirrors->runs[r].count; i++) {
            uint32_t at = mirrors->runs[r].offset + i * w->heap->reference_bytes;
            if (!is_field(mirrors, at) && l->hidden_count < DUMPWRITER_LINKS_HIDDEN)
                l->hidden[l->hidden_count++] = at;
        }
    }
}

int dumpwriter_links_init(struct dumpwriter *w, struct dumpwriter_links *l)
{
    struct heap_class *mirrors = heap_class_at(&w->find->classes, w->find->classes.class_klass);
    int error = heap_constants_init(&l->constants, &w->find->classes);
    l->has_constants = error == 0;
    if (mirrors) {
        l->loader = heap_class_field(&w->find->classes, mirrors, "classLoader");
        l->signers = heap_class_field(&w->find->classes, mirrors, "signers");
        l->domain = heap_class_field(&w->find->classes, mirrors, "protectionDomain");
        find_hidden(w, l, mirrors);
    }
    for (const struct heap_class *k = w->find->classes.first; k && !l->domain_class; k = k->next) {
        if (heap_class_is_named(&w->find->classes, k, "java/security/ProtectionDomain"))
            l->domain_class = k;
    }
    return error == -ENOMEM ? error : 0;
}

static bool is_domain(const struct dumpwriter_links *l, const struct heap_class *k)
{
    while (k && k != l->domain_class)
        k = k->super;
    return k != NULL;
}

/* Fills in what the injected fields of a mirror hold; the class of the object tells what it is. */
static void fill_hidden(struct dumpwriter *w, const struct dumpwriter_links *l, uint64_t mirror,
                        struct hprof_heap_class *out)
{
    for (uint32_t i = 0; i < l->hidden_count; i++) {
        uint64_t object = heap_reference(w->heap, mirror + l->hidden[i]);
        object = heap_mark_has(&w->find->mark, object) ? heap_resolve(w->heap, object) : 0;
        const struct heap_class *k =
            object ? heap_class_known(&w->find->classes, heap_klass(w->heap, object)) : NULL;
        if (k && k->kind == HEAP_OBJECT_ARRAY)
            out->signers = dumpwriter_id_of(w, object);
        else if (k && is_domain(l, k))
            out->domain = dumpwriter_id_of(w, object);
    }
}

static int fill_constants(struct dumpwriter *w, struct dumpwriter_links *l,
                          const struct heap_class *k, struct hprof_heap_class *out)
{
    uint32_t length = heap_constants_read(&l->constants, k), count = 0;
    uint64_t *objects = l->constants.objects;
    for (uint32_t i = 0; i < length; i++) {
        objects[i] =
            objects[i] && heap_has(w->heap, objects[i]) ? heap_resolve(w->heap, objects[i]) : 0;
        if (!heap_mark_has(&w->find->mark, objects[i]))
            objects[i] = 0;
        count += objects[i] != 0;
    }
    out->constants = arena_alloc(w->find->arena, (count + 1) * sizeof(*out->constants));
    if (!out->constants)
        return -ENOMEM;
    for (uint32_t i = 0; i < length; i++) {
        if (objects[i])
            out->constants[out->constant_count++] =
                (struct hprof_heap_constant){i, dumpwriter_id_of(w, objects[i])};
    }
    return 0;
}

int dumpwriter_links_fill(struct dumpwriter *w, struct dumpwriter_links *l,
                          const struct heap_class *k, struct hprof_heap_class *out)
{
    uint64_t mirror = heap_resolve(w->heap, k->mirror);
    if (mirror == 0)
        return 0;
    if (l->loader)
        out->loader = dumpwriter_id_at(w, mirror + l->loader);
    if (k->array.header_bytes) /* JVM TI too shows only the loader for the class of an array */
        return 0;
    if (l->signers)
        out->signers = dumpwriter_id_at(w, mirror + l->signers);
    if (l->domain)
        out->domain = dumpwriter_id_at(w, mirror + l->domain);
    fill_hidden(w, l, mirror, out);
    return l->has_constants && !w->facts->leave_constants ? fill_constants(w, l, k, out) : 0;
}
