/*
 * vm_program.c - see vm_program.h.
 * Source: the property sun.java.command, "MODULE/CLASS ARGUMENT..." or "JAR ARGUMENT...".
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_program.h"
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/debugger.h"
#include "base/javaname.h"
#include "vm/vm.h"

/* The length of the class or path in front of the arguments. A path of a jar may have blanks, so it
 * ends at ".jar". A path is known by its first character; a class name is not a path, and its
 * arguments may be jars, too. */
static size_t length_of_first(const char *command)
{
    static const char jar[] = ".jar";
    bool is_path = command[0] == '/' || command[0] == '.';
    for (const char *at = command; is_path && (at = strstr(at, jar)) != NULL;
         at += sizeof(jar) - 1) {
        if (at[sizeof(jar) - 1] == ' ' || at[sizeof(jar) - 1] == '\0')
            return (size_t)(at - command) + sizeof(jar) - 1;
    }
    return strcspn(command, " ");
}

/* The part behind the last slash, with '?' in place of control characters. */
static char *plain_name(const char *path, size_t len)
{
    size_t from = len;
    while (from > 0 && path[from - 1] != '/')
        from--;
    char *name = from < len ? strndup(path + from, len - from) : NULL;

    for (char *at = name; at && *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = '?';
    return name;
}

/* The command that the launcher noted. Owner: the VM; freed by Deallocate(). */
static char *get_command(jvmtiEnv *jvmti)
{
    char *command = NULL;
    if ((*jvmti)->GetSystemProperty(jvmti, "sun.java.command", &command) != JVMTI_ERROR_NONE)
        return NULL;
    return command;
}

char *vm_program_name(const struct vm *vm)
{
    char *command = get_command(vm->main), *name;
    if (!command)
        return NULL;
    name = plain_name(command, length_of_first(command));
    (*vm->main)->Deallocate(vm->main, (unsigned char *)command);
    return name;
}

static const struct tool {
    const char *main, *arguments, *name;
} tools[] = {
#define BUILD_TOOL(main, arguments, name) {main, arguments, name},
#include "vm/vm_program_tool.def"
#undef BUILD_TOOL
};

const char *vm_program_tool_of(const char *command, size_t len)
{
    const char *found = NULL;
    char *main = strndup(command, len);
    if (!main)
        return NULL;
    const char *slash = strrchr(main, '/');
    const char *arguments = command + len + (command[len] == ' ');
    for (size_t i = 0; !found && i < sizeof(tools) / sizeof(tools[0]); i++)
        if (fnmatch(tools[i].main, slash ? slash + 1 : main, 0) == 0 &&
            strncmp(arguments, tools[i].arguments, strlen(tools[i].arguments)) == 0)
            found = tools[i].name;
    free(main);
    return found;
}

/* Whether the JVM was started as `java -version`, with which build tools ask for the version. */
static bool is_question(void)
{
    char line[4096];
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? 0 : read(fd, line, sizeof(line));
    if (fd >= 0)
        close(fd);
    if (len < 2 || line[len - 1] != '\0')
        return false;
    const char *before = memrchr(line, '\0', (size_t)len - 1);
    return javaname_is_question(before ? before + 1 : line);
}

const char *vm_program_build_tool(JavaVM *java)
{
    const char *tool = NULL;
    jvmtiEnv *jvmti = NULL;
    if ((*java)->GetEnv(java, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return NULL;
    char *command = get_command(jvmti);
    if (command) {
        tool = vm_program_tool_of(command, length_of_first(command));
        (*jvmti)->Deallocate(jvmti, (unsigned char *)command);
    } else if (is_question()) {
        tool = "";
    }
    (*jvmti)->DisposeEnvironment(jvmti);
    return tool;
}

/* Ask the agent in the first folder of `path` that has it. Source: HotSpot os.cpp,
 * os::dll_locate_lib(): -agentlib looks in sun.boot.library.path first. */
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

bool vm_program_debugger_waits(JavaVM *java, char *ret_why, size_t size)
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
