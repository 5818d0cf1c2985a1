/*
 * heapdump_write.c - see heapdump.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/frozen/frozen_state.h"
#include "agent/heapdump/heapdump.h"
#include "format/hprof_serial.h"
#include "heapdump/dumpwriter_run.h"
#include "options/options_heapdump.h"

struct hprof_redact_rule heapdump_write_rule(const struct heapdump *d)
{
    const struct options_heapdump *o = options_heapdump_of(&d->recording->options);
    return (struct hprof_redact_rule){.values = (enum hprof_redact)o->redact,
                                      .keep = o->keep,
                                      .has_names = o->redact != 0 && o->names};
}

static struct dumpwriter_facts facts_of(struct heapdump *d)
{
    struct frozen *f = &d->frozen;
    const struct options_heapdump *o = options_heapdump_of(&d->recording->options);
    return (struct dumpwriter_facts){
        .known = d->names.known,
        .roots = f->roots.rows,
        .known_count = (uint32_t)f->classes.count,
        .root_count = f->roots.count,
        .system_trace = HPROF_SERIAL_TRACE_SYSTEM,
        .unknown_thread = HPROF_SERIAL_THREAD_UNKNOWN,
        .sites = f->sites.rows,
        .trace_of = heapdump_sites_trace,
        .trace_arg = d,
        .written = f->vm.heap.collector == HEAP_SHENANDOAH ? NULL : frozen_child_give_back,
        .written_arg = f,
        .leave_constants = o->plain,
        .leave_primitive_fields = !o->primfields,
        .leave_primitive_arrays = !o->primarrays,
        .redact = heapdump_write_rule(d),
        .leave_long_arrays = !o->longarrays,
    };
}

static void note_found(struct heapdump_result *r, const struct heap_find *found)
{
    r->heap_bytes = found->mark.bytes + found->parse.bytes;
    r->unreachable = found->parse.objects;
    r->skipped = found->parse.skipped;
    r->broken = found->mark.broken;
}

static void note_written(struct heapdump *d, const struct dumpwriter *w)
{
    struct heapdump_result *r = d->result;
    r->objects = w->objects;
    r->lost_links = w->lost_links;
    r->cuts = d->file.out.cuts;
    r->next_string = w->next_string;
    r->next_serial = w->next_serial;
    r->file_bytes = sink_position(&d->file.sink) - d->file.turn->position;
}

/* Writes the objects. frozen_find() has run, so the roots and classes are complete. */
static int write_found(struct heapdump *d, struct heap_find *found, struct dumpwriter *w)
{
    const struct dumpwriter_facts facts = facts_of(d);
    for (jint i = 0; i < d->frozen.classes.count; i++)
        d->names.known[i].klass = d->frozen.classes.klasses[i];
    w->facts = &facts;
    w->find = found;
    int error = dumpwriter_run(w);

    w->facts = NULL;
    return error;
}

/* Before each piece of the file: what was written must not fill the memory of the group. It counts
 * there until it is on the disk. */
static int write_to_disk(void *arg)
{
    struct heapdump *d = arg;
    uint64_t written = d->file.sink.written;
    if (written - d->file.on_disk <= d->frozen.stand.unwritten_bytes)
        return 0;
    d->file.on_disk = written;
    return fdatasync(d->file.sink.fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : -errno;
}

int heapdump_write_run(struct heapdump *d, const char **ret_why)
{
    struct heap_find found = {0};
    struct dumpwriter w = {
        .heap = &d->frozen.vm.heap,
        .out = &d->file.out,
        .next_string = d->next->string,
        .next_serial = d->next->serial,
    };
    int error = heapdump_file_wait(d);
    d->file.on_disk = d->file.sink.written;
    if (d->frozen.stand.is_on) {
        d->file.sink.ask = write_to_disk;
        d->file.sink.asker = d;
    }
    if (!error)
        error = dumpwriter_run_check_ids(&w);
    if (!error) {
        error = frozen_find(&d->frozen, &found, &w.why);
        note_found(d->result, &found);
    }
    if (!error)
        error = write_found(d, &found, &w);
    if (!error)
        heapdump_names_note_child(d, &w);
    note_written(d, &w);
    *ret_why = w.why;
    if (!error)
        /* the parent sees whether this has failed */
        (void)output_bring_back(&d->recording->output);
    return error;
}
