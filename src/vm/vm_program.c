/*
 * vm_program.c - see vm_program.h.
 * Source: the property sun.java.command, "MODULE/CLASS ARGUMENT..." or "JAR ARGUMENT...".
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_program.h"
#include <stdbool.h>
#include <string.h>
#include "vm/vm.h"

/* The path of a jar may have blanks in it, and is told by how it begins: the arguments of a class
 * may be jars, too. */
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

/* The part behind the last slash, without what no terminal should see. */
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

char *vm_program_name(const struct vm *vm)
{
    char *command = NULL, *name;

    if ((*vm->main)->GetSystemProperty(vm->main, "sun.java.command", &command) != JVMTI_ERROR_NONE)
        return NULL;
    name = plain_name(command, length_of_first(command));
    (*vm->main)->Deallocate(vm->main, (unsigned char *)command);
    return name;
}
