/*
 * heapdump_names.c - see heapdump.h.
 *
 * In a binary file the serial of a class stands for one id: the id of the class's object in the
 * dump. Readers expect LOAD CLASS first, then the FRAMEs that name the class, then the dump. With a
 * child the id of an object is its address in the pause. Therefore the classes that stacks name are
 * announced right after the pause, together with the stacks, before the child writes. The child
 * announces the other classes. A class that a stack names but that is not in the heap gets an id of
 * its own. Text files need none of this.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/heapdump/heapdump.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "agent/agent.h"
#include "agent/names/names.h"
#include "agent/recording/outlet.h"
#include "base/err.h"
#include "format/hprof_bin.h"
#include "format/hprof_out.h"
#include "format/hprof_serial.h"
#include "heapdump/dumpwriter_class.h"

static bool has_ids(const struct heapdump *d)
{
    return d->recording->options.format == 'b';
}

static uint64_t own_id(const struct heapdump *d, class_id row)
{
    return hprof_bin_class_object(outlet_hprof_of(d->recording)->config.id_bytes, row);
}

/* Tells which classes the file has so far. */
static struct row_marks *marks(const struct heapdump *d)
{
    return recording_marks(d->recording);
}

static void fill_known(struct heapdump *d, class_id row, struct dumpwriter_known *to)
{
    struct profile *p = d->agent->profile;
    const struct profile_class *c = profile_class_at(p, row);
    to->name = c->name ? profile_string_at(p, c->name)->bytes : "";
    to->serial = hprof_serial_class(p, row);
    to->object = row_marks_class(marks(d), row);
}

int heapdump_names_take(struct heapdump *d)
{
    struct heapdump_names *n = &d->names;
    const struct frozen_classes *c = &d->frozen.classes;
    size_t count = (size_t)c->count + 1;
    n->rows = arena_alloc(&d->frozen.arena, count * sizeof(*n->rows));
    n->known = arena_alloc(&d->frozen.arena, count * sizeof(*n->known));
    if (!n->rows || !n->known)
        return -ENOMEM;
    for (jint i = 0; i < c->count; i++) {
        n->rows[i] = names_class(d->agent, c->list[i]);
        if (n->rows[i])
            fill_known(d, n->rows[i], &n->known[i]);
    }
    return 0;
}

/* Makes the memory that is shared with the child. It is kept, because the next dump needs about as
 * much. */
static int take_announced(struct heapdump *d)
{
    struct heapdump_names *n = &d->names;
    size_t bytes = (size_t)d->frozen.classes.count + 1;
    if (n->announced && bytes > n->announced_bytes) {
        munmap(n->announced, n->announced_bytes);
        n->announced = NULL;
    }
    if (!n->announced) {
        n->announced_bytes = bytes + bytes / 2;
        n->announced = mmap(NULL, n->announced_bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (n->announced == MAP_FAILED)
            n->announced = NULL;
    }
    return n->announced ? 0 : -ENOMEM;
}

void heapdump_names_done(struct heapdump *d)
{
    if (d->names.announced)
        munmap(d->names.announced, d->names.announced_bytes);
    d->names.announced = NULL;
}

int heapdump_names_note_stacks(struct heapdump *d)
{
    struct profile *p = d->agent->profile;
    unsigned char *is_named;
    if (!has_ids(d))
        return 0;
    is_named = arena_alloc(&d->frozen.arena, (size_t)profile_class_count(p) + 1);
    d->names.is_named = is_named;
    if (!is_named || take_announced(d) != 0)
        return -ENOMEM;
    for (method_id id = 1; id <= profile_method_count(p); id++)
        is_named[profile_method_at(p, id)->klass] = 1;
    is_named[0] = 0;
    return 0;
}

uint64_t heapdump_names_id(const struct heapdump *d, uint32_t i, uint64_t tag)
{
    return has_ids(d) && d->names.rows[i] ? own_id(d, d->names.rows[i]) : tag;
}

void heapdump_names_locate(struct heapdump *d)
{
    struct heapdump_names *n = &d->names;
    const struct frozen_classes *c = &d->frozen.classes;
    for (jint i = 0; has_ids(d) && i < c->count; i++) {
        if (c->mirrors[i] && n->is_named[n->rows[i]] && n->known[i].object == 0)
            n->known[i].object =
                dumpwriter_id(&d->frozen.vm.heap, d->file.out.id_bytes, c->mirrors[i]);
    }
}

/* ---- what is written into the file */

/* Lends classes to the child: the child announces those of them that it finds. Until it has ended,
 * no other code announces them. */
static int lend(struct heapdump *d)
{
    struct heapdump_names *n = &d->names;
    n->lent = calloc((size_t)d->frozen.classes.count + 1, sizeof(*n->lent));
    for (jint i = 0; n->lent && i < d->frozen.classes.count; i++) {
        uint64_t mirror = d->frozen.classes.mirrors[i];
        if (!n->rows[i] || row_marks_class(marks(d), n->rows[i]) || !mirror)
            continue;
        row_marks_set_class(marks(d), n->rows[i],
                            dumpwriter_id(&d->frozen.vm.heap, d->file.out.id_bytes, mirror));
        n->lent[i] = n->rows[i];
    }
    n->lent_count = n->lent ? (uint32_t)d->frozen.classes.count : 0;
    return n->lent ? 0 : -ENOMEM;
}

void heapdump_names_announce(struct heapdump *d, bool has_child)
{
    struct heapdump_names *n = &d->names;
    for (jint i = 0; has_ids(d) && has_child && i < d->frozen.classes.count; i++) {
        if (n->is_named[n->rows[i]] && d->frozen.classes.mirrors[i])
            recording_load_class(d->recording, n->rows[i], d->names.known[i].object);
    }
    /* also writes classes that stacks name and that are not in the list */
    recording_traces(d->recording);
    if (has_ids(d) && has_child)
        lend(d);
    for (jint i = 0; has_ids(d) && !has_child && i < d->frozen.classes.count; i++) {
        if (n->rows[i])
            fill_known(d, n->rows[i], &d->names.known[i]);
    }
}

void heapdump_names_note_written(struct heapdump *d)
{
    for (jint i = 0; has_ids(d) && i < d->frozen.classes.count; i++) {
        class_id row = d->names.rows[i];
        if (row && !row_marks_class(marks(d), row))
            row_marks_set_class(marks(d), row, own_id(d, row));
    }
}

void heapdump_names_note_child(struct heapdump *d, const struct dumpwriter *w)
{
    for (jint i = 0; d->names.announced && i < d->frozen.classes.count; i++)
        d->names.announced[i] = (unsigned char)dumpwriter_class_has(w, &d->names.known[i]);
}

void heapdump_names_settle(struct heapdump *d, bool is_whole)
{
    struct profile *p = d->agent->profile;
    struct heapdump_names *n = &d->names;
    uint32_t missing = 0;
    for (uint32_t i = 0; i < n->lent_count; i++) {
        if (!n->lent[i] || (is_whole && n->announced[i]))
            continue;
        row_marks_set_class(marks(d), n->lent[i], 0);
        missing++;
    }
    free(n->lent);
    n->lent = NULL;
    n->lent_count = 0;
    /* A stack may have named one of these classes meanwhile. */
    for (method_id id = 1; missing > 0 && id <= profile_method_count(p); id++) {
        if (profile_method_at(p, id)->klass)
            hprof_bin_class(outlet_hprof_of(d->recording), profile_method_at(p, id)->klass);
    }
}
