/*
 * output.c - see output.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/output.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "agent/log.h"
#include "agent/net/net.h"
#include "agent/net/net_queue.h"
#include "base/err.h"

enum { NET_SHARE = 16 }; /* what waits to be sent gets one part of this many of mem= */

/* %p and %t in a file name, where expand=y asks for it. */
static int expand(const char *pattern, char *ret, size_t size)
{
    size_t n = 0;

    for (const char *p = pattern; *p; p++) {
        char piece[32] = {*p, '\0'};

        if (*p == '%' && p[1] == 'p') {
            snprintf(piece, sizeof(piece), "%d", (int)getpid());
            p++;
        } else if (*p == '%' && p[1] == 't') {
            time_t now = time(NULL);
            struct tm local;

            localtime_r(&now, &local);
            strftime(piece, sizeof(piece), "%Y%m%d-%H%M%S", &local);
            p++;
        } else if (*p == '%' && p[1] == '%') {
            p++;
        }
        if (n + strlen(piece) >= size)
            return E_LIMIT;
        memcpy(ret + n, piece, strlen(piece) + 1);
        n += strlen(piece);
    }
    ret[n] = '\0';
    return 0;
}

/*
 * The name that force=n takes when `path` exists: the pid goes before ".txt" in text (any case),
 * with
 * ".txt" added if it is not there, and to the very end in binary.
 */
static void name_with_pid(const char *path, char format, char *ret, size_t size)
{
    size_t len = strlen(path);
    int has_txt = len >= 4 && strcasecmp(path + len - 4, ".txt") == 0;

    if (format == 'b')
        snprintf(ret, size, "%s.%d", path, (int)getpid());
    else if (has_txt)
        snprintf(ret, size, "%.*s.%d%s", (int)(len - 4), path, (int)getpid(), path + len - 4);
    else
        snprintf(ret, size, "%s.%d.txt", path, (int)getpid());
}

static int create_connection(struct output *o, const struct options *options)
{
    int error = net_connect(options->net_host, options->net_port,
                            (size_t)(options->mem_bytes / NET_SHARE), &o->net);

    o->fd = -1;
    snprintf(o->path, sizeof(o->path), "%s:%d", options->net_host, options->net_port);
    return error ? error : sink_init_taker(&o->sink, net_take, o->net);
}

static int create_file(struct output *o, const struct options *options)
{
    static const int mode = O_WRONLY | O_CREAT | O_CLOEXEC;
    char name[OPTIONS_VALUE + 1];
    const char *wanted = options->file[0]         ? options->file
                         : options->format == 'b' ? "java.hprof"
                                                  : "java.hprof.txt";

    if (options->expand) {
        if (expand(wanted, name, sizeof(name)) != 0) {
            log_error("the name of the profile file is too long: %s", wanted);
            return E_LIMIT;
        }
        wanted = name;
    }
    snprintf(o->path, sizeof(o->path), "%s", wanted);
    o->fd = open(o->path, mode | (options->force ? O_TRUNC : O_EXCL), 0644);
    if (o->fd < 0 && errno == EEXIST && !options->force) {
        name_with_pid(wanted, options->format, o->path, sizeof(o->path));
        o->fd = open(o->path, mode | O_TRUNC, 0644);
    }
    if (o->fd < 0) {
        int error = errno;

        log_error("can't create profile file: %s (%s): give a writable place with file=", o->path,
                  strerror(error));
        return -error;
    }
    /* Where a standard stream is closed its number is free: the program would print into our file.
     */
    if (o->fd <= STDERR_FILENO) {
        int low = o->fd;

        o->fd = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(low);
        if (o->fd < 0) {
            log_error("no file descriptor left for the profile file");
            return -EMFILE;
        }
    }
    return sink_init(&o->sink, o->fd);
}

int output_create(struct output *o, const struct options *options)
{
    return options->net_host[0] ? create_connection(o, options) : create_file(o, options);
}

void output_begin(struct output *o, const struct options *options, struct profile *profile,
                  int large_heap)
{
    struct timespec now;
    struct hprof_out_config config = {
        .depth = (uint32_t)options->depth,
        .cutoff = options->cutoff,
        .print_lines = options->lineno,
        .print_threads = options->thread,
        .cpu_samples = options->cpu_samples,
        .all_traces = options->heap_dump || options->heap_sites || options->monitor,
        .is_old = options->cpu_table == OPTIONS_OLD,
        .heap = options->heap_dump || options->heap_sites,
        .id_bytes = options->heap_dump ? (uint32_t)options_id_bytes(options, large_heap) : 4,
        .large_heap = large_heap,
        .is_stream = o->net || lseek(o->fd, 0, SEEK_CUR) < 0,
    };

    if (o->net)
        net_start(o->net);
    clock_gettime(CLOCK_REALTIME, &now);
    config.created_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    hprof_out_init(&o->out, options->format == 'b' ? &hprof_bin_out : &hprof_text_out, &o->sink,
                   profile, &config);
    o->out.ops->begin(&o->out);
    output_flush(o);
}

static void complain(struct output *o, int error)
{
    if (error && !o->complained) {
        o->complained = 1;
        log_error("cannot write %s (%s): what follows is lost, the program goes on", o->path,
                  err_text(error));
    }
}

void output_flush(struct output *o)
{
    int error = sink_flush(&o->sink);

    if (o->net && !error)
        net_queue_flush(net_queue_of(o->net));
    complain(o, error);
}

/* Errors: 0, -errno. */
static int copy_file(struct output *o, int fd, uint64_t bytes)
{
    unsigned char piece[16384];
    off_t offset = 0;

    while (bytes > 0) {
        size_t wanted = bytes < sizeof(piece) ? (size_t)bytes : sizeof(piece);
        ssize_t n = pread(fd, piece, wanted, offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        sink_bytes(&o->sink, piece, (size_t)n);
        offset += n;
        bytes -= (uint64_t)n;
    }
    return sink_error(&o->sink);
}

int output_insert_file(struct output *o, int fd, uint64_t bytes)
{
    int error;

    output_flush(o);
    if (o->net)
        return net_queue_put_file(net_queue_of(o->net), fd, bytes);
    error = copy_file(o, fd, bytes);
    close(fd);
    complain(o, error);
    return error;
}

void output_be_patient(struct output *o, int is_patient)
{
    if (o->net)
        net_queue_be_patient(net_queue_of(o->net), is_patient);
}

void output_catch_up(struct output *o)
{
    struct net_queue_drops drops = {.records = 0};

    if (o->net)
        drops = net_queue_drops(net_queue_of(o->net));
    if (drops.records == 0)
        return;
    if (!o->told_dropped)
        log_note("%s reads too slowly: records are left out, and counted as net_dropped", o->path);
    profile_set_quality(o->out.profile, "net_dropped", drops.records);
    o->told_dropped = 1;
    if (drops.records != o->dropped && !drops.is_behind) {
        o->dropped = drops.records;
        hprof_out_again(&o->out);
    }
}

static void close_connection(struct output *o)
{
    int error = net_close(o->net);
    struct net_queue_drops drops = net_queue_drops(net_queue_of(o->net));

    complain(o, error);
    if (drops.records > 0)
        log_error(
            "%s read too slowly: %llu records (%llu bytes) were left out; mem= gives a larger "
            "buffer",
            o->path, (unsigned long long)drops.records, (unsigned long long)drops.bytes);
}

void output_set_aside(struct output *o)
{
    struct stat ours, named;

    snprintf(o->aside, sizeof(o->aside), "%s.TMP", o->path);
    if (o->net || fstat(o->fd, &ours) != 0 || !S_ISREG(ours.st_mode) ||
        stat(o->path, &named) != 0 || ours.st_ino != named.st_ino || ours.st_dev != named.st_dev ||
        rename(o->path, o->aside) != 0)
        o->aside[0] = '\0';
}

void output_bring_back(struct output *o)
{
    if (o->aside[0] && rename(o->aside, o->path) != 0)
        return; /* the child has done it, or somebody took it away */
    o->aside[0] = '\0';
}

void output_cut(struct output *o, uint64_t position)
{
    if (ftruncate(o->fd, (off_t)position) == 0)
        lseek(o->fd, (off_t)position, SEEK_SET);
}

void output_close(struct output *o)
{
    output_flush(o);
    sink_done(&o->sink);
    if (o->net)
        close_connection(o);
    else
        close(o->fd);
    o->fd = -1;
}

void output_note_manifest(const struct output *o, const struct options *options)
{
    char line[PATH_MAX + OPTIONS_VALUE + 96], resolved[PATH_MAX];
    int fd, n;

    if (!options->manifest[0])
        return;
    n = snprintf(line, sizeof(line), "%d\t%s\n", (int)getpid(),
                 realpath(o->path, resolved) ? resolved : o->path);
    fd = open(options->manifest, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0 || write(fd, line, (size_t)n) != n)
        log_error("cannot write to manifest %s (%s)", options->manifest, strerror(errno));
    if (fd >= 0)
        close(fd);
}
