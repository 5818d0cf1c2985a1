/*
 * vm_debugger.c - see vm_debugger.h.
 * Source: HotSpot os.cpp, os::dll_locate_lib(): -agentlib looks in sun.boot.library.path first.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_debugger.h"
#include <errno.h>
#include <string.h>
#include <jvmti.h>
#include "base/debugger.h"

/* Ask the agent in the first folder of `path` that has it. */
static bool takes_command(char *path, char *ret_why, size_t size)
{
    int answer = -ENOENT;
    const char *first = NULL;
    for (char *rest = path, *folder; answer == -ENOENT && (folder = strsep(&rest, ":"));) {
        answer = debugger_find_option(folder, DEBUGGER_ONJCMD);
        if (answer != -ENOENT || !first)
            first = folder;
    }
    if (answer <= 0)
        debugger_why_not(first ? first : "", answer, ret_why, size);
    return answer > 0;
}

bool vm_debugger_takes_command(JavaVM *java, char *ret_why, size_t size)
{
    jvmtiEnv *jvmti = NULL;
    char *path = NULL;
    bool takes = true;
    if ((*java)->GetEnv(java, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return true;
    if ((*jvmti)->GetSystemProperty(jvmti, "sun.boot.library.path", &path) == JVMTI_ERROR_NONE) {
        takes = takes_command(path, ret_why, size);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)path);
    }
    (*jvmti)->DisposeEnvironment(jvmti);
    return takes;
}
