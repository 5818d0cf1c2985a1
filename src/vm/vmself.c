/*
 * vmself.c - see vmself.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vmself.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "base/err.h"
#include "hotspot/paged.h"
#include "hotspot/vmtables.h"
#include "safe/mem.h"
#include "safe/own_memory.h"

enum {
    NAME_MAX_LENGTH = 64,
    FLAGS_MAX = 5000,
};

static int read_own(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    return own_memory_read(addr, dst, len);
}

static const struct mem_ops own_ops = {.read = read_own};
static struct mem own = {.ops = &own_ops};

/* The VM's tables, which are read at the first question and kept. NULL: this VM has none. */
static const struct vmtables *tables(void)
{
    static struct vmtables kept;
    static int state; /* 0: not read; 1: there; -1: none */
    uint64_t symbols[VMTABLES_SYMBOL_COUNT];
    if (state == 0) {
        for (int i = 0; i < VMTABLES_SYMBOL_COUNT; i++)
            symbols[i] = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, vmtables_symbols[i]);
        state = vmtables_open(&own, symbols, &kept) == 0 ? 1 : -1;
    }
    return state == 1 ? &kept : NULL;
}

/* Get the value of a row under the first of two type names that the tables have. */
static int find(char kind, const char *type, const char *other_type, const char *name,
                uint64_t *ret_value)
{
    const struct vmtables *t = tables();
    return t && (vmtables_find(t, kind, type, name, ret_value) ||
                 vmtables_find(t, kind, other_type, name, ret_value));
}

int vmself_release(jvmtiEnv *jvmti)
{
    jint version = 0;
    int major;
    (*jvmti)->GetVersionNumber(jvmti, &version);
    major = (version & JVMTI_VERSION_MASK_MAJOR) >> JVMTI_VERSION_SHIFT_MAJOR;
    return major == 1 ? 8 : major; /* JDK 8's JVM TI has version 1.2 */
}

int vmself_field(const char *type, const char *name, uint64_t *ret_offset)
{
    return find('f', type, type, name, ret_offset);
}

int32_t vmself_tid(uint64_t java_thread)
{
    uint64_t osthread_at, id_at, osthread;
    int32_t tid;

    /* JDK 25 moved the field to Thread. */
    if (!java_thread || !find('f', "JavaThread", "Thread", "_osthread", &osthread_at) ||
        !find('f', "OSThread", "OSThread", "_thread_id", &id_at) ||
        mem_read(&own, java_thread + osthread_at, &osthread, sizeof(osthread)) != 0 ||
        mem_read(&own, osthread + id_at, &tid, sizeof(tid)) != 0)
        return 0;
    return tid;
}

static bool has_name(struct mem *m, uint64_t name, const char *wanted)
{
    char text[NAME_MAX_LENGTH] = "";
    size_t len = strlen(wanted) + 1;
    return len <= sizeof(text) && mem_read(m, name, text, len) == 0 &&
           memcmp(text, wanted, len) == 0;
}

/* The address of a flag's value; 0: there is no flag of that name. `m` keeps the pages that were
 * read. */
static uint64_t search_flags(struct mem *m, const char *flag)
{
    uint64_t flags, count, size, name_at, addr_at, name, addr;

    /* JDK 8 calls the type Flag. */
    if (!find('s', "JVMFlag", "Flag", "flags", &flags) ||
        !find('s', "JVMFlag", "Flag", "numFlags", &count) ||
        !find('t', "JVMFlag", "Flag", "", &size) ||
        !find('f', "JVMFlag", "Flag", "_name", &name_at) ||
        !find('f', "JVMFlag", "Flag", "_addr", &addr_at) ||
        mem_read(m, flags, &flags, sizeof(flags)) != 0 ||
        mem_read(m, count, &count, sizeof(count)) != 0)
        return 0;
    for (uint64_t i = 0; i < count && i < FLAGS_MAX; i++) {
        uint64_t at = flags + i * size;
        if (mem_read(m, at + name_at, &name, sizeof(name)) == 0 && has_name(m, name, flag))
            return mem_read(m, at + addr_at, &addr, sizeof(addr)) == 0 ? addr : 0;
    }
    return 0;
}

/* The address of a flag's value; also 0 if the VM has no tables. A search reads some thousand small
 * pieces, so they are read through a cache of pages. */
static uint64_t flag_address(const char *flag)
{
    struct paged *paged = paged_open(&own);
    uint64_t address = paged ? search_flags(paged_mem(paged), flag) : 0;
    paged_close(paged);
    return address;
}

static int set_flag(const char *flag, unsigned char value)
{
    uint64_t address = flag_address(flag);
    if (!address)
        return E_NOT_FOUND;
    /* the flag is a C++ bool in the VM's data */
    *(volatile unsigned char *)(uintptr_t)address = value;
    return 0;
}

int vmself_turn_on(const char *flag)
{
    return set_flag(flag, 1);
}

int vmself_turn_off(const char *flag)
{
    return set_flag(flag, 0);
}

bool vmself_is_on(const char *flag)
{
    uint64_t address = flag_address(flag);
    return address && *(const volatile unsigned char *)(uintptr_t)address;
}

int vmself_set_text(const char *flag, const char *text)
{
    uint64_t address = flag_address(flag);
    if (!address)
        return E_NOT_FOUND;
    *(const char *volatile *)(uintptr_t)address = text;
    return 0;
}

int vmself_set_number(const char *flag, uint64_t value)
{
    uint64_t address = flag_address(flag);
    if (!address)
        return E_NOT_FOUND;
    *(volatile uint64_t *)(uintptr_t)address = value;
    return 0;
}

int vmself_number(const char *flag, uint64_t *ret_value)
{
    uint64_t address = flag_address(flag);
    if (!address)
        return E_NOT_FOUND;
    *ret_value = *(const volatile uint64_t *)(uintptr_t)address;
    return 0;
}
