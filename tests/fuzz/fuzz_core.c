/*
 * fuzz_core.c - the reader of cores, their notes and their memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"
#include "mem/mem_core.h"
#include "mem/modules.h"
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Both ends of each piece and each map, and across them. */
static void read_around(struct mem_core *core, uint64_t addr)
{
    char bytes[64];
    mem_read(&core->mem, addr, bytes, sizeof(bytes));
    mem_read(&core->mem, addr - sizeof(bytes) / 2, bytes, sizeof(bytes));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct mem_core core;
    char path[64];
    int fd = memfd_create("core", MFD_CLOEXEC);
    if (fd < 0 || write(fd, bytes, len) != (ssize_t)len) {
        close(fd);
        return 0;
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    /* A folder that is not there: what the core names is never opened. */
    if (mem_core_open(path, "/nowhere", NULL, &core) == 0) {
        struct modules modules;
        modules_init(&modules, &core.image);
        for (uint32_t i = 0; i < core.piece_count && i < 100; i++) {
            read_around(&core, core.pieces[i].start);
            read_around(&core, core.pieces[i].end);
        }
        for (uint32_t i = 0; i < core.image.map_count && i < 100; i++) {
            read_around(&core, core.image.maps[i].start);
            modules_find(&modules, core.image.maps[i].start);
        }
        modules_done(&modules);
    }
    mem_core_close(&core);
    close(fd);
    return 0;
}
