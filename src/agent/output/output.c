/*
 * output.c - see output.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/output/output.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "agent/budget.h"
#include "agent/log.h"
#include "agent/output/net.h"
#include "agent/output/output_writer.h"
#include "base/err.h"
#include "base/newfile.h"
#include "base/plural.h"
#include "options/options_format.h"
#include "options/options_group.h"
#include "options/options_name.h"
#include "profile/quality.h"
#include "profile/tally.h"
#include "safe/clock.h"

enum {
    FILE_ROOM = 64 << 20,   /* the queue of a slow file has at least this size */
    FILE_STALL_MS = 20000,  /* how long the end waits for a file that takes nothing */
    SETTLE_STALL_MS = 3000, /* how long a dump waits for a file that takes nothing */
};

/*
 * The name that force=n takes if `path` exists. The pid goes in front of the suffix, which is
 * compared in any case and appended if it is missing. For binary the suffix is empty, so the pid
 * goes to the end.
 */
static void name_with_pid(const char *path, const char *suffix, char *ret, size_t size)
{
    size_t len = strlen(path), suffix_len = strlen(suffix);
    bool has_it = len >= suffix_len && strcasecmp(path + len - suffix_len, suffix) == 0;
    if (has_it)
        snprintf(ret, size, "%.*s.%d%s", (int)(len - suffix_len), path, (int)getpid(),
                 path + len - suffix_len);
    else
        snprintf(ret, size, "%s.%d%s", path, (int)getpid(), suffix);
}

static int create_connection(struct output *o, const struct options *options)
{
    int error = net_connect(options->net.host, options->net.port,
                            (size_t)budget_bytes(options->mem_bytes, BUDGET_PEER), &o->net);
    o->fd = -1;
    snprintf(o->path, sizeof(o->path), "%s:%d", options->net.host, options->net.port);
    if (error)
        return error;
    o->writer = net_writer(o->net);
    output_be_patient(o, 1);
    return sink_init_taker(&o->sink, output_writer_take, o->writer);
}

/* Errors: 0, or negative after a message. */
static int make_writer(struct output *o, const struct options *options)
{
    uint64_t share = budget_bytes(options->mem_bytes, BUDGET_FILE);
    uint64_t room = share > FILE_ROOM ? share : FILE_ROOM;
    struct output_writer *w = calloc(1, sizeof(*w));
    if (!w || output_queue_init(&w->queue, (size_t)room, FILE_STALL_MS) != 0) {
        free(w);
        close(o->fd);
        log_error("no memory for what waits for the profile file: lower mem=");
        return -ENOMEM;
    }
    w->fd = o->fd;
    w->put = output_writer_put_file;
    o->writer = w;
    sink_init_taker(&o->sink, output_writer_take, w);
    o->sink.rewrite = output_writer_rewrite;
    return sink_error(&o->sink);
}

/* Whether another recording of this JVM writes the file that has this name. */
static bool is_in_use(const char *path, const struct output_others *others)
{
    struct stat named, open;
    if (newfile_is_special(path) || stat(path, &named) != 0)
        return false;
    for (int i = 0; i < others->count; i++)
        if (others->outputs[i]->is_ours && fstat(others->outputs[i]->fd, &open) == 0 &&
            open.st_dev == named.st_dev && open.st_ino == named.st_ino)
            return true;
    return false;
}

/* Errors: as newfile_open(); -EBUSY if another recording writes the file. */
static int open_file(struct output *o, const struct output_others *others, mode_t mode,
                     enum newfile_old old, struct newfile *ret, const char **ret_why)
{
    if (output_held_open(&o->held, o->path, mode, ret))
        return 0;
    if (is_in_use(o->path, others)) {
        *ret_why = "another recording writes it";
        return old == NEWFILE_KEEP ? -EEXIST : -EBUSY;
    }
    return newfile_open(o->path, mode, old, ret, ret_why);
}

/*
 * A heap dump has data that no other user may read, and a file that a command makes in a shared
 * folder is only for that command: mode 0600. Other files get 0644.
 */
static mode_t mode_of(const struct options *options)
{
    const char *slash = strrchr(options->file, '/');
    bool is_commands = strncmp(slash ? slash + 1 : options->file, ".hprof-", 7) == 0;
    return is_commands || (options_group_marks(options) & OPTIONS_MARK_OBJECTS) ? 0600 : 0644;
}

static int create_file(struct output *o, const struct options *options,
                       const struct output_others *others)
{
    char name[OPTIONS_VALUE + 1];
    const struct options_format *form = options_format_of(options->format);
    const char *wanted = options->file[0] ? options->file : form->file;
    mode_t mode = mode_of(options);
    /* Nobody has looked at the names of a loop's files before, so an existing file is kept. */
    bool keeps = !options->force || options->ends.loop_ns;
    const char *why;
    struct newfile file;
    int error;

    if (options->expand) {
        error = options_name_expand(wanted, options->ends.turn, name, sizeof(name));
        if (error == E_NOT_FOUND)
            log_error("file=%s: this JVM has no variable %s in its environment", wanted, name);
        else if (error)
            log_error("the name of the profile file is too long: %s", wanted);
        if (error)
            return error;
        wanted = name;
    }
    snprintf(o->path, sizeof(o->path), "%s", wanted);
    error = open_file(o, others, mode, keeps ? NEWFILE_KEEP : NEWFILE_REPLACE, &file, &why);
    if (error == -EEXIST && keeps) {
        name_with_pid(wanted, form->suffix, o->path, sizeof(o->path));
        error = open_file(o, others, mode, NEWFILE_REPLACE, &file, &why);
    }
    if (error) {
        log_error("can't create profile file: %s (%s): give a writable place with file=", o->path,
                  why);
        return error;
    }
    o->fd = file.fd;
    o->is_ours = file.is_ours;
    if (o->is_ours && !o->held.is_unnamed)
        output_held_lock(&o->held, o->fd);
    return make_writer(o, options);
}

int output_create(struct output *o, const struct options *options,
                  const struct output_others *others)
{
    return options->net.host[0] ? create_connection(o, options) : create_file(o, options, others);
}

void output_begin(struct output *o)
{
    output_writer_start(o->writer, o->net ? "HPROF sender" : "HPROF writer");
}

/* The name of the quality count of left-out records. */
static const char *dropped_word(const struct output *o)
{
    return quality_name(o->net ? QUALITY_NET_DROPPED : QUALITY_FILE_DROPPED);
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
    if (!error)
        output_queue_flush(&o->writer->queue);
    complain(o, error);
}

int output_append(struct output *o, const void *bytes, size_t len)
{
    int error = output_queue_put_whole(&o->writer->queue, bytes, len);
    if (error != -EAGAIN)
        complain(o, error);
    return error;
}

int output_replace(struct output *o, uint64_t offset, const void *bytes, size_t len)
{
    return output_queue_rewrite(&o->writer->queue, offset, bytes, len);
}

int output_resize(struct output *o, uint64_t length)
{
    return output_queue_resize(&o->writer->queue, length);
}

int output_start(struct output *o, uint64_t offset, const void *bytes, size_t len, uint64_t length)
{
    int error = output_queue_start(&o->writer->queue, offset, bytes, len, length);
    if (error != -EAGAIN)
        complain(o, error);
    return error;
}

size_t output_room(const struct output *o)
{
    return o->writer->queue.size;
}

void output_settle(struct output *o)
{
    if (!o->net)
        output_queue_settle(&o->writer->queue, SETTLE_STALL_MS);
}

int output_insert_file(struct output *o, int fd, uint64_t bytes)
{
    output_flush(o);
    return output_queue_put_file(&o->writer->queue, fd, bytes);
}

void output_be_patient(struct output *o, bool is_patient)
{
    output_queue_be_patient(&o->writer->queue, is_patient);
}

void output_lend(struct output *o, output_queue_turn *turn, void *arg)
{
    output_flush(o);
    output_queue_let_guest(&o->writer->queue, turn, arg);
}

int output_wait_for_turn(struct output *o)
{
    return output_queue_settle(&o->writer->queue, FILE_STALL_MS);
}

void output_take_back(struct output *o)
{
    output_queue_end_guest(&o->writer->queue);
}

uint64_t output_progress(const struct output *o)
{
    return output_queue_moved(&o->writer->queue);
}

int output_error(const struct output *o)
{
    return output_queue_error(&o->writer->queue);
}

bool output_catch_up(struct output *o, struct tally *tally)
{
    struct output_queue_drops drops = output_queue_drops(&o->writer->queue);
    if (drops.records == 0)
        return false;
    if (!o->told_dropped)
        log_note("%s %s too slowly: records are left out, and counted as %s", o->path,
                 o->net ? "reads" : "is written", dropped_word(o));
    tally_set_quality(tally, dropped_word(o), drops.records);
    o->told_dropped = 1;
    if (drops.records == o->dropped || drops.is_behind)
        return false;
    o->dropped = drops.records;
    return true;
}

/* Cut the file to its whole part. It is opened again, because o->fd may be write-only. */
static void cut_to_whole(struct output *o)
{
    char path[64];
    int fd;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", o->fd);
    fd = o->is_ours ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    output_cut(o, o->whole(fd));
    close(fd);
}

/* If the writer thread is stuck, its queue and its descriptor are left to it. */
static int close_file(struct output *o)
{
    int error = output_writer_finish(o->writer);
    if (error == -ETIMEDOUT)
        return error;
    output_writer_join(o->writer);
    if (o->whole && output_error(o))
        cut_to_whole(o);
    if (close(o->fd) != 0 && !error)
        error = -errno; /* a network file system may report a full disk only here */
    return error;
}

/* Whether `name` is still the name of our file: nobody has renamed or replaced it. */
static bool is_named(const struct output *o, const char *name)
{
    struct stat ours, named;
    return fstat(o->fd, &ours) == 0 && lstat(name, &named) == 0 && ours.st_ino == named.st_ino &&
           ours.st_dev == named.st_dev;
}

void output_set_aside(struct output *o)
{
    int error = -EPERM;
    if (o->is_ours && is_named(o, o->path)) {
        snprintf(o->aside, sizeof(o->aside), "%s.TMP", o->path);
        error = newfile_rename(o->path, o->aside);
        if (error == -EEXIST) {
            snprintf(o->aside, sizeof(o->aside), "%s.TMP.%d", o->path, (int)getpid());
            error = newfile_rename(o->path, o->aside);
        }
    }
    if (error)
        o->aside[0] = '\0';
}

int output_bring_back(struct output *o)
{
    int error = 0;
    /* otherwise the child or somebody else has renamed it */
    if (o->aside[0] && is_named(o, o->aside))
        error = newfile_rename(o->aside, o->path);
    return error;
}

void output_end_aside(struct output *o)
{
    int error = output_bring_back(o);
    if (error) {
        log_error("the profile stays in %s (%s: %s)", o->aside, o->path, err_text(error));
        snprintf(o->path, sizeof(o->path), "%.*s", (int)sizeof(o->path) - 1, o->aside);
    }
    o->aside[0] = '\0';
}

void output_cut(struct output *o, uint64_t position)
{
    if (o->is_ours && ftruncate(o->fd, (off_t)position) == 0)
        lseek(o->fd, (off_t)position, SEEK_SET);
}

void output_close(struct output *o)
{
    struct output_queue_drops drops;
    int error;
    output_flush(o);
    sink_done(&o->sink);
    error = o->net ? net_finish(o->net) : close_file(o);
    complain(o, error);
    drops = output_queue_drops(&o->writer->queue);
    if (drops.records > 0)
        log_error("%s %s too slowly: %llu record%s (%llu bytes) %s left out; mem= gives a larger "
                  "buffer",
                  o->path, o->net ? "read" : "was written", (unsigned long long)drops.records,
                  plural_s(drops.records), (unsigned long long)drops.bytes,
                  plural_of(drops.records, "was", "were"));
    o->is_stuck = !o->net && error == -ETIMEDOUT;
    o->fd = -1;
}

void output_release(struct output *o)
{
    if (o->net) {
        net_close(o->net);
    } else if (o->writer && !o->is_stuck) {
        output_queue_done(&o->writer->queue);
        free(o->writer);
    }
    *o = (struct output){.fd = -1};
}

void output_place(const struct output *o, char ret_place[PATH_MAX])
{
    if (!o->is_ours || !realpath(o->path, ret_place))
        snprintf(ret_place, PATH_MAX, "%.*s", PATH_MAX - 1, o->path);
}

void output_note_manifest(const struct output *o, const struct options *options, const char *mark)
{
    char place[PATH_MAX], text[PATH_MAX + 8];
    if (!options->under.manifest[0])
        return;
    output_place(o, place);
    snprintf(text, sizeof(text), "%s%s", mark, place);
    output_note(options, text);
}

void output_note(const struct options *options, const char *text)
{
    char line[PATH_MAX + 32];
    int fd, n;
    if (!options->under.manifest[0])
        return;
    n = snprintf(line, sizeof(line), "%d\t%s\n", (int)getpid(), text);
    fd = open(options->under.manifest, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return; /* the command that wanted the manifest has ended before the program */
    if (fd < 0 || write(fd, line, (size_t)n) != n)
        log_error("cannot write to manifest %s (%s)", options->under.manifest, strerror(errno));
    if (fd >= 0)
        close(fd);
}
