/*
 * newer.c - an agent that makes the VM look like a newer one: it takes a name out of the tables in
 * which the VM describes itself, before other agents read them.
 *
 * Options: TYPE::FIELD of the table of fields, or a name of the table of integer constants.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jni.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t number(const char *name)
{
    const uint64_t *at = dlsym(RTLD_DEFAULT, name);
    return at ? *at : 0;
}

static void hide(char *entry, uint64_t at)
{
    static char hidden[] = "hidden";
    uintptr_t page = (uintptr_t)(entry + at) & -(uintptr_t)getpagesize();
    char *name = hidden;
    mprotect((void *)page, 2 * (size_t)getpagesize(), PROT_READ | PROT_WRITE);
    memcpy(entry + at, &name, sizeof(name));
}

static const char *text(const char *entry, uint64_t at)
{
    const char *name;
    memcpy(&name, entry + at, sizeof(name));
    return name;
}

static int hide_field(const char *wanted)
{
    uint64_t type_at = number("gHotSpotVMStructEntryTypeNameOffset");
    uint64_t field_at = number("gHotSpotVMStructEntryFieldNameOffset");
    uint64_t stride = number("gHotSpotVMStructEntryArrayStride");
    char name[500];
    int count = 0;
    for (char *e = (char *)number("gHotSpotVMStructs"); text(e, type_at); e += stride) {
        snprintf(name, sizeof(name), "%s::%s", text(e, type_at), text(e, field_at));
        if (strcmp(name, wanted) == 0) {
            hide(e, field_at);
            count++;
        }
    }
    return count;
}

static int hide_constant(const char *wanted)
{
    uint64_t name_at = number("gHotSpotVMIntConstantEntryNameOffset");
    uint64_t stride = number("gHotSpotVMIntConstantEntryArrayStride");
    int count = 0;
    for (char *e = (char *)number("gHotSpotVMIntConstants"); text(e, name_at); e += stride) {
        if (strcmp(text(e, name_at), wanted) == 0) {
            hide(e, name_at);
            count++;
        }
    }
    return count;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    return hide_field(options) + hide_constant(options) > 0 ? JNI_OK : JNI_ERR;
}
