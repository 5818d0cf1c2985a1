/*
 * vmthread.c - see vmthread.h.
 *
 * Source: HotSpot vmStructs.cpp: JavaThread::_osthread (Thread::_osthread since 25) and
 * OSThread::_thread_id. The tables are found by their exported symbols.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/vmthread.h"
#include <dlfcn.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ENTRIES_MAX = 100000 };

struct offsets {
    int64_t osthread, thread_id; /* -1: not found */
};

static int read_self(uint64_t address, void *ret, size_t size)
{
    struct iovec local = {ret, size}, remote = {(void *)(uintptr_t)address, size};

    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size ? 0 : -1;
}

/* The value of one of the exported numbers that describe the entries. */
static uint64_t exported(const char *symbol)
{
    const uint64_t *at = dlsym(RTLD_DEFAULT, symbol);

    return at ? *at : 0;
}

static const char *text_at(uint64_t entry, const char *offset_symbol)
{
    return *(const char *const *)(uintptr_t)(entry + exported(offset_symbol));
}

static struct offsets find_offsets(void)
{
    struct offsets found = {-1, -1};
    uint64_t entry = exported("gHotSpotVMStructs"),
             stride = exported("gHotSpotVMStructEntryArrayStride");

    for (int i = 0; entry && stride && i < ENTRIES_MAX; i++, entry += stride) {
        const char *type = text_at(entry, "gHotSpotVMStructEntryTypeNameOffset");
        const char *field = type ? text_at(entry, "gHotSpotVMStructEntryFieldNameOffset") : NULL;
        int64_t offset;

        if (!type || !field)
            break;
        offset =
            *(const int64_t *)(uintptr_t)(entry + exported("gHotSpotVMStructEntryOffsetOffset"));
        if (strcmp(field, "_osthread") == 0 &&
            (strcmp(type, "JavaThread") == 0 || strcmp(type, "Thread") == 0))
            found.osthread = offset;
        else if (strcmp(field, "_thread_id") == 0 && strcmp(type, "OSThread") == 0)
            found.thread_id = offset;
    }
    return found;
}

int32_t vmthread_tid(uint64_t java_thread)
{
    static struct offsets offsets;
    static int looked;
    uint64_t osthread;
    int32_t tid;

    if (!looked) {
        offsets = find_offsets();
        looked = 1;
    }
    if (!java_thread || offsets.osthread < 0 || offsets.thread_id < 0 ||
        read_self(java_thread + (uint64_t)offsets.osthread, &osthread, sizeof(osthread)) != 0 ||
        read_self(osthread + (uint64_t)offsets.thread_id, &tid, sizeof(tid)) != 0)
        return 0;
    return tid;
}
