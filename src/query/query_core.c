/*
 * query_core.c - see query_core.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_core.h"
#include <stdio.h>
#include <unistd.h>
#include "base/err.h"
#include "command/cmd.h"
#include "heap/dumproom.h"
#include "heap/heapspool.h"
#include "heapimage/heapimage.h"
#include "heapimage/heapimage_dump.h"
#include "jvm/asking.h"
#include "jvm/heap_outside.h"
#include "query/query_input.h"
#include "query/query_state.h"

struct taking {
    const char *folder;
    int fd; /* of the dump; -1: none */
};

static int refuse(const char *name, uint64_t used_bytes, void *with)
{
    const struct taking *x = with;
    return dumproom_check(name, x->folder, used_bytes) ? CMD_OK : CMD_FAILED;
}

static int write_dump(struct heapimage *h, const char *name, void *with)
{
    struct taking *x = with;
    struct heapimage_dump dump = {0};
    const struct heapimage_dump_how how = {.created_ms = heap_outside_time_ms(name)};
    int fd = dumproom_open(name, x->folder);
    if (fd < 0)
        return CMD_FAILED;
    if (heap_outside_write(h, name, x->folder, fd, &how, &dump) < 0) {
        close(fd);
        return CMD_FAILED;
    }
    x->fd = fd;
    return CMD_OK;
}

int query_core_take(struct query *q, struct query_input *in)
{
    struct taking x = {.folder = heapspool_folder(q->options.tmp), .fd = -1};
    const struct asking_line line = {
        .q = {.target = in->is_spooled ? in->path : in->word},
        .files = {.exe = q->options.exe, .sysroot = q->options.sysroot}};
    const struct heap_outside how = {.job = write_dump, .refuse = refuse, .with = &x};
    int status = heap_outside_each(&line, &how);
    if (x.fd < 0)
        return E_FORMAT;
    q->is_damaged |= status != CMD_OK;
    close(in->fd);
    in->fd = x.fd;
    in->is_spooled = true;
    in->is_core = false;
    snprintf(in->path, sizeof(in->path), "/proc/self/fd/%d", in->fd);
    return 0;
}
