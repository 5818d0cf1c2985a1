/*
 * heapdump_file.c - where a heap dump goes: the agent's file, lent to the child or to the pause, or
 * a file without a name whose bytes follow when it is whole.
 *
 * While the file is lent the agent's own records wait in memory (output_lend()).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "agent/heapdump/heapdump.h"

int heapdump_file_own(struct heapdump *d)
{
    const char *folder = getenv("TMPDIR");
    char name[PATH_MAX];

    snprintf(name, sizeof(name), "%s/hprof.XXXXXX", folder && folder[0] ? folder : "/tmp");
    d->own_file = mkostemp(name, O_CLOEXEC);
    if (d->own_file < 0) {
        int error = errno;

        snprintf(d->status->why, sizeof(d->status->why), "no file in %.64s: set TMPDIR", name);
        return -error;
    }
    unlink(name);
    d->sink.fd = d->own_file;
    return 0;
}

int heapdump_file_is_pipe(const struct heapdump *d)
{
    const struct output *o = &d->agent->output;

    return !o->net && !o->is_ours;
}

int heapdump_file_open(struct heapdump *d)
{
    struct agent *a = d->agent;
    const struct hprof_out_config *config = &a->output.out.config;
    time_t now = time(NULL);

    d->own_file = -1;
    if (sink_init(&d->sink, a->output.fd) != 0)
        return -ENOMEM;
    d->out = (struct hprof_heap){
        .ops = a->options.format == 'b' ? &hprof_heap_bin : &hprof_heap_text,
        .sink = &d->sink,
        .buffer = d->buffer,
        .buffer_bytes = HPROF_HEAP_SEGMENT,
        .id_bytes = a->options.format == 'b'
                        ? config->id_bytes
                        : (uint32_t)options_id_bytes(&a->options, config->large_heap),
        .has_segments = config->large_heap,
        .created_ms = config->created_ms,
    };
    if (!ctime_r(&now, d->out.date))
        strcpy(d->out.date, "(no date)\n");
    /* The length of a record without segments is known at its end. */
    if (a->output.net ||
        (heapdump_file_is_pipe(d) && a->options.format == 'b' && !config->large_heap))
        return heapdump_file_own(d);
    return 0;
}

/* The file has all that comes before the dump. In the writer's thread. */
static void note_turn(void *arg)
{
    struct heapdump *d = arg;
    off_t at = lseek(d->agent->output.fd, 0, SEEK_CUR);

    d->status->position = at < 0 ? 0 : (uint64_t)at;
    d->status->has_turn = 1;
}

void heapdump_file_set_aside(struct heapdump *d)
{
    if (d->own_file < 0)
        output_set_aside(&d->agent->output);
}

void heapdump_file_lend(struct heapdump *d)
{
    if (d->own_file < 0) {
        output_lend(&d->agent->output, note_turn, d);
    } else {
        d->status->has_turn = 1;
    }
}

void heapdump_file_take_back(struct heapdump *d)
{
    struct output *o = &d->agent->output;

    output_end_aside(o);
    output_take_back(o);
    output_flush(o);
}

void heapdump_file_settle(struct heapdump *d)
{
    struct output *o = &d->agent->output;

    if (d->own_file >= 0 && d->status->is_complete)
        output_insert_file(o, d->own_file, d->status->file_bytes); /* closes it */
    else if (d->own_file >= 0)
        close(d->own_file);
    else if (!d->status->is_complete && d->status->has_turn)
        output_cut(o, d->status->position);
    d->own_file = -1;
    heapdump_file_take_back(d);
}
