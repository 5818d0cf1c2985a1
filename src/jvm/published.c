/*
 * published.c - see published.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/published.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/err.h"
#include "mem/mem_live.h"

static FILE *open_maps(pid_t task)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)task);
    return fopen(path, "re");
}

static bool has_mapping(FILE *maps)
{
    char *line = NULL;
    size_t size = 0;
    uint64_t addr;
    bool is_there = false;
    while (!is_there && getline(&line, &size, maps) > 0)
        is_there = otel_process_is_mapping(line, &addr);
    free(line);
    rewind(maps);
    return is_there;
}

static int read_live(void *with, uint64_t addr, void *dst, size_t len)
{
    return mem_live_read_now(with, addr, dst, len);
}

int published_read(pid_t task, struct otel_process *ret)
{
    struct mem_live *live;
    FILE *maps = open_maps(task);
    int error = E_NOT_FOUND;
    if (!maps)
        return errno == ENOENT ? -ESRCH : -errno;
    if (has_mapping(maps)) {
        live = calloc(1, sizeof(*live));
        error = live ? mem_live_open(task, live) : -ENOMEM;
        if (error == 0)
            error = otel_process_find(maps, read_live, live, ret);
        if (live)
            mem_live_close(live);
        free(live);
    }
    fclose(maps);
    return error;
}
