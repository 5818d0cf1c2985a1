/*
 * alloc_room.c - see alloc_room.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/alloc/alloc_room.h"
#include <stdbool.h>
#include <string.h>
#include "hotspot/tag_chains.h"
#include "safe/mem_self.h"
#include "vm/vm_lookup.h"
#include "vm/vmself.h"

static struct tag_chains made; /* the table that was found; made.table 0: none was found */

/* A debug build of the VM asserts that the number of unused entries is not negative. This would
 * fail in an enlarged table. */
static bool is_debug_vm(jvmtiEnv *jvmti)
{
    /* of JDK 8; of later JDKs */
    static const char *const properties[] = {"java.vm.version", "jdk.debug"};
    bool is_debug = false;
    for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++) {
        char *value = NULL;
        if ((*jvmti)->GetSystemProperty(jvmti, properties[i], &value) != JVMTI_ERROR_NONE)
            continue;
        is_debug |= strstr(value, "debug") || strstr(value, "jvmg");
        (*jvmti)->Deallocate(jvmti, (unsigned char *)value);
    }
    return is_debug;
}

void alloc_room_make(jvmtiEnv *jvmti, JNIEnv *env)
{
    /* no row has this tag, and it is unlikely to stand in memory by chance */
    static const jlong mark = 0x746167726f6f6d;
    int version = vmself_release(jvmti);
    struct tag_chains room;
    jclass klass;
    bool is_found;
    if (version > TAG_CHAINS_JDK_LAST || is_debug_vm(jvmti) ||
        !(klass = vm_lookup_boot_class(env, "java/lang/Object")))
        return;
    if ((*jvmti)->SetTag(jvmti, klass, mark) == JVMTI_ERROR_NONE) {
        is_found =
            tag_chains_find(&mem_self, version, (uint64_t)(uintptr_t)jvmti, mark, &room) == 0;
        if ((*jvmti)->SetTag(jvmti, klass, 0) == JVMTI_ERROR_NONE && is_found &&
            tag_chains_make(&mem_self, &room) == 0 && mem_self.loads_in_line)
            made = room;
    }
    (*env)->DeleteLocalRef(env, klass);
}

uint64_t alloc_room_expect(jobject object)
{
    /* A collection may move the object meanwhile. In that case the wrong memory is fetched, which
     * does no harm. */
    return made.table ? tag_chains_expect(&mem_self, &made, *(const volatile uint64_t *)object) : 0;
}

void alloc_room_expect_chain(uint64_t chain)
{
    uint64_t first;
    if (chain && mem_load8(&mem_self, chain, &first) == 0)
        __builtin_prefetch((const void *)(uintptr_t)first);
}

void alloc_room_forget(void)
{
    made.table = 0;
}
