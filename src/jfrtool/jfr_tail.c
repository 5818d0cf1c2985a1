/*
 * jfr_tail.c - see jfr_tail.h.
 *
 * A JVM flushes its chunk each second: it writes the events, then the constants and types that they
 * use, then the size of all this into the header. So the bytes that the header describes are
 * complete, and the bytes after them are not. The bytes are copied and not mapped, because the JVM
 * writes into them. The file stays open, because a JVM that ends removes its repository.
 * Source: HotSpot, jfrChunkWriter and jfrRepository; jdk.jfr, RepositoryFiles.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_tail.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/err.h"
#include "base/feed.h"
#include "base/rooted.h"
#include "base/sink.h"
#include "command/cmd.h"
#include "jfrtool/jfr_order.h"
#include "jfrtool/jfr_print.h"
#include "command/plainout.h"
#include "command/say.h"
#include "jfr/jfr_file.h"

enum { LOOK_NS = 50000000 };

struct tail {
    const struct jfr_print *how;
    const char *path;        /* as the user named it */
    bool is_folder;          /* a repository; false: one of its files */
    char name[NAME_MAX + 1]; /* the open chunk file, in that folder */
    int fd;                  /* descriptor of the open file; -1: none yet */
    size_t done;             /* number of its bytes that were printed */
    /* The file was open at the start: what it has at the first look is older and is not printed. */
    bool is_first;
    bool is_final; /* it is the last chunk of its recording */
    struct jfr_order order;
    struct jfr_printer out;
    struct plainout plain;
};

/* Finds the next chunk file. Their names are times, so the next file is the first one after the
 * open file in the order of names. At the start it is the last of all. Returns whether there is
 * one. */
static bool find_next(const struct tail *t, char ret_name[NAME_MAX + 1])
{
    DIR *folder = opendir(t->path);
    bool is_found = false;
    for (const struct dirent *e; folder && (e = readdir(folder)) != NULL;) {
        size_t len = strlen(e->d_name);
        if (len <= 4 || strcmp(e->d_name + len - 4, ".jfr") != 0 || strcmp(e->d_name, t->name) <= 0)
            continue;
        int order = is_found ? strcmp(e->d_name, ret_name) : 0;
        if (!is_found || (t->name[0] == '\0' ? order > 0 : order < 0))
            memcpy(ret_name, e->d_name, len + 1);
        is_found = true;
    }
    if (folder)
        closedir(folder);
    return is_found;
}

/* Opens the next chunk file. Errors: 0, also if there is none yet; -errno. */
static int open_next(struct tail *t)
{
    char name[NAME_MAX + 1], path[PATH_MAX];
    if (!t->is_folder) {
        t->fd = rooted_open(-1, t->path);
        return t->fd < 0 ? t->fd : 0;
    }
    if (!find_next(t, name))
        return 0;
    if (snprintf(path, sizeof(path), "%s/%s", t->path, name) >= (int)sizeof(path))
        return -ENAMETOOLONG;
    t->fd = rooted_open(-1, path);
    if (t->fd < 0)
        return t->fd == -ENOENT ? 0 : t->fd;
    memcpy(t->name, name, sizeof(name));
    t->done = 0;
    return 0;
}

static int print_bytes(struct tail *t, const unsigned char *bytes, size_t len)
{
    struct window range = t->how->range;
    struct jfr_file file;
    struct feed feed;
    feed_memory(&feed, bytes, len);
    int r = jfr_file_open(&file, &feed, true);
    if (r == 0 && (r = jfr_file_next_chunk(&file)) > 0)
        r = jfr_print_chunk(t->how, &range, &file, &t->order, &t->out, t->done);
    jfr_file_close(&file);
    if (r == 0) {
        jfr_printer_flush(&t->out);
        r = sink_flush(&t->plain.sink);
    }
    return r;
}

/* Reads the first `len` bytes. Errors: 0, -errno, E_TRUNCATED. */
static int read_all(int fd, unsigned char *to, size_t len)
{
    for (size_t at = 0; at < len;) {
        ssize_t got = pread(fd, to + at, len - at, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : E_TRUNCATED;
        at += (size_t)got;
    }
    return 0;
}

/* Prints what the header has described since the last look. Returns 1 if this file gets no more
 * bytes; 0; an error. */
static int look(struct tail *t)
{
    unsigned char header[JFR_LAYOUT_HEADER];
    struct jfr_header h = {0};
    struct stat st;
    int r = fstat(t->fd, &st) < 0 ? -errno : 0;
    if (r == 0 && st.st_size < (off_t)sizeof(header))
        return 0; /* the file has just been made */
    if (r == 0)
        r = read_all(t->fd, header, sizeof(header));
    if (r == 0)
        r = jfr_chunk_read_header(header, &h);
    if (r < 0 || h.state == JFR_LAYOUT_UPDATING || h.size > (uint64_t)st.st_size)
        return r;
    if (h.size > t->done && h.size >= sizeof(header) && !t->is_first) {
        unsigned char *bytes = malloc(h.size);
        r = bytes ? read_all(t->fd, bytes, h.size) : -ENOMEM;
        if (r == 0)
            r = print_bytes(t, bytes, h.size);
        free(bytes);
    }
    if (r < 0)
        return r;
    bool is_finished = h.state == JFR_LAYOUT_FINISHED && h.size > 0;
    if (t->is_first && is_finished && (h.is_final || !t->is_folder))
        say("%s: the recording has ended; 'hprof jfr print' shows it", t->path);
    t->done = h.size;
    t->is_first = false;
    t->is_final = h.is_final;
    return is_finished;
}

/* Whether another chunk file may follow. */
static bool may_go_on(const struct tail *t)
{
    return t->is_folder && !t->is_final && access(t->path, F_OK) == 0;
}

static int follow(struct tail *t)
{
    static const struct timespec pause = {.tv_nsec = LOOK_NS};
    for (bool is_at_end = false;;) {
        int r = t->fd < 0 ? open_next(t) : 0;
        if (r == 0 && t->fd >= 0)
            r = look(t);
        if (r < 0)
            return r;
        if (r > 0) {
            close(t->fd);
            t->fd = -1;
            is_at_end = true;
            /* Open the next file at once, because a JVM that ends soon removes it. */
            if (may_go_on(t))
                continue;
        }
        if (t->fd < 0 && is_at_end && !may_go_on(t))
            return 0;
        nanosleep(&pause, NULL);
    }
}

static int begin(struct tail *t)
{
    struct stat st;
    int r = stat(t->path, &st) < 0 ? -errno : 0;
    if (r == 0) {
        t->is_folder = S_ISDIR(st.st_mode);
        r = open_next(t);
    }
    t->is_first = t->fd >= 0;
    return r;
}

int jfr_tail_print(const struct jfr_print *p, const char *path)
{
    struct tail t = {.how = p, .path = path, .fd = -1};
    int r = plainout_open(&t.plain, p->style->is_data);
    if (r == 0)
        r = jfr_printer_init(&t.out, &t.plain.sink, p->stack_depth);
    if (r == 0)
        r = begin(&t);
    if (r == 0) {
        t.out.is_exact = p->is_exact;
        t.out.clock = p->clock;
        p->style->begin(&t.out);
        r = follow(&t);
        p->style->end(&t.out);
    }
    if (!jfr_printer_say(&t.out, path))
        r = E_LIMIT;
    if (r == E_UNSUPPORTED)
        say("%s: " JFR_RANGE_NO_NANOTIME, path);
    else if (r == E_FORMAT)
        say("%s: not a JFR file: it does not begin with FLR", path);
    else if (r < 0 && r != -EPIPE && r != E_LIMIT)
        say("%s: %s", path, err_text(r));
    jfr_printer_done(&t.out);
    jfr_order_done(&t.order);
    int done = plainout_done(&t.plain);
    if (t.fd >= 0)
        close(t.fd);
    return r == 0 && done == 0 ? CMD_OK : CMD_FAILED;
}
