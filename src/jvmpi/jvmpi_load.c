/*
 * jvmpi_load.c - see jvmpi_load.h.
 *
 * Agents use JNI in JVM_OnLoad, so JVM_OnLoad is called only when the VM has a JNIEnv for this
 * thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_load.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_send.h"

enum { TRIED = 2048 };

typedef jint JNICALL on_load(JavaVM *java, char *options, void *reserved);

static struct found {
    const char *name;
    char *options;
    on_load *run;
} found[JVMPI_AGENTS_MAX];
static int found_count;

/* The folders of a JDK's libraries below java.home: first JDK 9 and later, then JDK 8. */
static const char *const folders[] = {
    "lib",
#ifdef __aarch64__
    "lib/aarch64",
#else
    "lib/amd64",
#endif
};

/* Append to `tried` a path and the reason why it was not taken. */
static void note_tried(char tried[TRIED], const char *text)
{
    size_t used = strlen(tried);
    snprintf(tried + used, TRIED - used, "%s%.1000s", used > 0 ? "; " : "", text);
}

/* Open a library, or append to `tried` why this failed. */
static void *open_library(const char *path, char tried[TRIED])
{
    void *library = dlopen(path, RTLD_LAZY);
    if (!library)
        note_tried(tried, dlerror());
    return library;
}

/* Open a library in a folder. The message for a missing file has the same form as the others. */
static void *open_in_folder(const char *path, char tried[TRIED])
{
    char text[PATH_MAX + 64];
    if (access(path, F_OK) == 0)
        return open_library(path, tried);
    snprintf(text, sizeof(text), "%s: %s", path, strerror(errno));
    note_tried(tried, text);
    return NULL;
}

static void *search(const char *name, char tried[TRIED])
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    char path[PATH_MAX], *home = NULL;
    void *library = NULL;
    if (strchr(name, '/'))
        return open_library(name, tried);
    (*jvmti)->GetSystemProperty(jvmti, "java.home", &home);
    for (size_t i = 0; home && !library && i < sizeof(folders) / sizeof(folders[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s/lib%s.so", home, folders[i], name);
        library = open_in_folder(path, tried);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)home);
    snprintf(path, sizeof(path), "lib%s.so", name);
    return library ? library : open_library(path, tried);
}

int jvmpi_load_find(const char *name, char *options)
{
    char tried[TRIED] = "";
    struct found *f = &found[found_count];
    void *library, *symbol;
    if (found_count == JVMPI_AGENTS_MAX) {
        jvmpi_bridge_say("agent %s: there are %d agents already", name, JVMPI_AGENTS_MAX);
        return -1;
    }
    library = search(name, tried);
    if (!library) {
        jvmpi_bridge_say("agent %s was not found; tried in turn: %s", name, tried);
        return -1;
    }
    symbol = dlsym(library, "JVM_OnLoad");
    if (!symbol) {
        jvmpi_bridge_say("agent %s has no JVM_OnLoad: it is no JVMPI agent", name);
        dlclose(library);
        return -1;
    }
    *f = (struct found){.name = name, .options = options};
    memcpy(&f->run, &symbol, sizeof(symbol));
    found_count++;
    return 0;
}

void jvmpi_load_run(JavaVM *java)
{
    for (int i = 0; i < found_count; i++) {
        jint result = found[i].run(java, found[i].options, NULL);
        if (result == JNI_OK)
            continue;
        jvmpi_bridge_say("JVM_OnLoad of agent %s failed: it returned %d", found[i].name,
                         (int)result);
        fflush(NULL);
        _exit(EXIT_FAILURE);
    }
}
