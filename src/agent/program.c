/*
 * program.c - see program.h.
 * Source: the property sun.java.command, "MODULE/CLASS ARGUMENT..." or "JAR ARGUMENT...".
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/program.h"
#include <string.h>

/* The path of a jar may have blanks in it, and is told by how it begins: the arguments of a class
 * may be jars, too. */
static size_t length_of_first(const char *command)
{
    static const char jar[] = ".jar";
    int is_path = command[0] == '/' || command[0] == '.';

    for (const char *at = command; is_path && (at = strstr(at, jar)) != NULL;
         at += sizeof(jar) - 1) {
        if (at[sizeof(jar) - 1] == ' ' || at[sizeof(jar) - 1] == '\0')
            return (size_t)(at - command) + sizeof(jar) - 1;
    }
    return strcspn(command, " ");
}

string_id program_name(jvmtiEnv *jvmti, struct profile *profile)
{
    char *command = NULL;
    string_id name = 0;

    if ((*jvmti)->GetSystemProperty(jvmti, "sun.java.command", &command) != JVMTI_ERROR_NONE)
        return 0;
    size_t len = length_of_first(command), from = len;
    while (from > 0 && command[from - 1] != '/')
        from--;
    for (size_t i = from; i < len; i++) {
        if ((unsigned char)command[i] < ' ' || command[i] == 0x7f)
            command[i] = '?';
    }
    if (from < len)
        name = profile_string(profile, command + from, len - from);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)command);
    return name;
}
