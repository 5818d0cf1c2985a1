/*
 * heapdump_file.c - see heapdump.h.
 *
 * While the file is lent, the agent's other records wait in memory (output_lend()).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/heapdump/heapdump.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/recording/outlet.h"
#include "format/hprof_out.h"
#include "safe/clock.h"

enum { TURN_POLL_NS = NS_PER_MS };

int heapdump_file_own(struct heapdump *d)
{
    const char *folder = getenv("TMPDIR");
    char name[PATH_MAX];
    snprintf(name, sizeof(name), "%s/hprof.XXXXXX", folder && folder[0] ? folder : "/tmp");
    d->file.own = mkostemp(name, O_CLOEXEC);
    if (d->file.own < 0) {
        int error = errno;
        snprintf(d->frozen.status->why, sizeof(d->frozen.status->why),
                 "no file in %.64s: set TMPDIR", name);
        return -error;
    }
    unlink(name);
    d->file.sink.fd = d->file.own;
    return 0;
}

/* A disk that has room for the file has room for a part of it, and /tmp may be memory. */
int heapdump_file_beside(struct heapdump *d)
{
    char link[64], folder[PATH_MAX], *slash;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", d->recording->output.fd);
    ssize_t n = readlink(link, folder, sizeof(folder) - 1);

    folder[n > 0 ? n : 0] = '\0';
    slash = folder[0] == '/' ? strrchr(folder, '/') : NULL;
    if (slash && !heapdump_file_is_pipe(d)) {
        slash[slash == folder] = '\0';
        d->file.own = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    }
    if (d->file.own < 0)
        return heapdump_file_own(d);
    d->file.sink.fd = d->file.own;
    return 0;
}

bool heapdump_file_is_pipe(const struct heapdump *d)
{
    const struct output *o = &d->recording->output;
    return !o->net && !o->is_ours;
}

int heapdump_file_open(struct heapdump *d)
{
    const struct hprof_out_config *config = &outlet_hprof_of(d->recording)->config;
    time_t now = time(NULL);
    d->file.own = -1;
    *d->file.turn = (struct heapdump_turn){0};
    if (sink_init(&d->file.sink, d->recording->output.fd) != 0)
        return -ENOMEM;
    d->file.out = (struct hprof_heap){
        .ops = d->recording->options.format == 'b' ? &hprof_heap_bin : &hprof_heap_text,
        .sink = &d->file.sink,
        .buffer = d->file.buffer,
        .buffer_bytes = HPROF_HEAP_SEGMENT,
        .id_bytes = d->recording->options.format == 'b'
                        ? config->id_bytes
                        : (uint32_t)options_id_bytes(&d->recording->options, config->large_heap),
        .has_segments = config->large_heap,
        .created_ms = config->created_ms,
    };
    if (!ctime_r(&now, d->file.out.date))
        strcpy(d->file.out.date, "(no date)\n");
    /* The length of a record without segments is known only at its end, and a pipe cannot go back
     * to write it. */
    if (d->recording->output.net ||
        (heapdump_file_is_pipe(d) && d->recording->options.format == 'b' && !config->large_heap))
        return heapdump_file_own(d);
    return 0;
}

int heapdump_file_wait(struct heapdump *d)
{
    static const struct timespec pause = {.tv_nsec = TURN_POLL_NS};
    const struct heapdump_turn *turn = d->file.turn;
    while (!turn->has) {
        if (getppid() != d->frozen.fork.parent)
            return -ECANCELED;
        if (turn->never)
            return turn->never;
        nanosleep(&pause, NULL);
    }
    d->file.sink.written = turn->position;
    return 0;
}

/* Called when the file has everything that stands in front of the dump. In the thread that writes
 * the file. */
static void note_turn(void *arg)
{
    struct heapdump *d = arg;
    off_t at = lseek(d->recording->output.fd, 0, SEEK_CUR);
    d->file.turn->position = at < 0 ? 0 : (uint64_t)at;
    d->file.turn->has = 1;
}

void heapdump_file_set_aside(struct heapdump *d)
{
    if (d->file.own < 0)
        output_set_aside(&d->recording->output);
}

void heapdump_file_lend(struct heapdump *d)
{
    if (d->file.own < 0) {
        output_lend(&d->recording->output, note_turn, d);
    } else {
        d->file.turn->has = 1;
    }
}

void heapdump_file_leave(struct heapdump *d)
{
    d->file.sink.error = -EBADF;
    free(d->file.sink.buffer);
    d->file.sink.buffer = NULL;
}

static void take_back(struct heapdump *d)
{
    struct output *o = &d->recording->output;
    output_end_aside(o);
    output_take_back(o);
    output_flush(o);
}

void heapdump_file_settle(struct heapdump *d, bool is_whole)
{
    struct output *o = &d->recording->output;
    if (d->file.own >= 0 && is_whole)
        output_insert_file(o, d->file.own, d->result->file_bytes); /* also closes the file */
    else if (d->file.own >= 0)
        close(d->file.own);
    else if (!is_whole && d->file.turn->has)
        output_cut(o, d->file.turn->position);
    d->file.own = -1;
    take_back(d);
}
