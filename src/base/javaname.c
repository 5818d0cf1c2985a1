/*
 * javaname.c - see javaname.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/javaname.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define VM_OWN "bootstrap"

static const char *primitive_name(char letter)
{
    static const struct {
        char letter;
        const char *name;
    } primitives[] = {{'Z', "boolean"}, {'B', "byte"}, {'C', "char"},  {'S', "short"},
                      {'I', "int"},     {'J', "long"}, {'F', "float"}, {'D', "double"}};
    for (size_t i = 0; i < sizeof(primitives) / sizeof(primitives[0]); i++)
        if (primitives[i].letter == letter)
            return primitives[i].name;
    return NULL;
}

void javaname_put_dots(char *name)
{
    for (char *slash = name; (slash = strchr(slash, '/')) != NULL; slash++)
        if (strncmp(slash, "/0x", 3) != 0)
            *slash = '.';
}

char *javaname_of_type(const char *signature, char *ret, size_t size)
{
    size_t dimensions = strspn(signature, "["), n;
    const char *element = signature + dimensions, *primitive = primitive_name(element[0]);
    if (element[0] == 'L' && element[1]) {
        n = strlen(element + 1);
        if (element[n] == ';')
            n--;
        element++;
    } else {
        element = primitive ? primitive : element;
        n = strlen(element);
    }
    if (n >= size)
        n = size - 1;
    for (size_t i = 0; i < n; i++)
        ret[i] = element[i] == '/' && !primitive ? '.' : element[i];
    for (; dimensions > 0 && n + 2 < size; dimensions--) {
        ret[n++] = '[';
        ret[n++] = ']';
    }
    ret[n] = '\0';
    return ret;
}

char *javaname_of_parameters(const char *descriptor, char *ret, size_t size)
{
    enum { TYPE = 1024 };
    char type[TYPE], java[TYPE];
    size_t used = 1;
    const char *at = descriptor;
    snprintf(ret, size, "(");
    for (at += *at == '('; *at != '\0' && *at != ')' && used < size;) {
        const char *end = at + strspn(at, "[");
        end = *end == 'L' ? strchr(end, ';') : end;
        if (!end || *end == '\0')
            break;
        snprintf(type, sizeof(type), "%.*s", (int)(end + 1 - at), at);
        javaname_of_type(type, java, sizeof(java));
        const char *simple = strrchr(java, '.');
        used += (size_t)snprintf(ret + used, size - used, "%s%s", used > 1 ? ", " : "",
                                 simple ? simple + 1 : java);
        at = end + 1;
    }
    if (used + 1 < size)
        memcpy(ret + used, ")", 2);
    return ret;
}

void javaname_join_loader(const char *name, const char *type, char *ret, size_t size)
{
    if (*name && *type)
        snprintf(ret, size, "%s (%s)", name, type);
    else
        snprintf(ret, size, "%s", *name ? name : *type ? type : VM_OWN);
}

struct javaname_loader javaname_split_loader(const char *text, size_t len)
{
    const char *open = len ? memrchr(text, '(', len) : NULL;
    if (len == sizeof(VM_OWN) - 1 && memcmp(text, VM_OWN, len) == 0)
        return (struct javaname_loader){.name = text, .name_len = len};
    if (!open || open - text < 2 || text[len - 1] != ')')
        return (struct javaname_loader){.type = text, .type_len = len};
    size_t name_len = (size_t)(open - text) - 1; /* without the blank */
    return (struct javaname_loader){text, open + 1, name_len, len - name_len - 3};
}

bool javaname_is_lock(const char *class_name)
{
    /* The blocker is an object of an inner class, for example Semaphore$FairSync, so prefixes are
     * compared. */
    static const char *const locks_begin[] = {
        "java.util.concurrent.locks.ReentrantLock",
        "java.util.concurrent.locks.ReentrantReadWriteLock",
        "java.util.concurrent.locks.StampedLock",
        "java.util.concurrent.Semaphore",
    };

    for (size_t i = 0; i < sizeof(locks_begin) / sizeof(*locks_begin); i++)
        if (strncmp(class_name, locks_begin[i], strlen(locks_begin[i])) == 0)
            return true;
    return false;
}

bool javaname_is_own_event(const char *event)
{
    static const char *const others[] = {"jdk.", "jdk/", "hprof.", "profiler."};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strncmp(event, others[i], strlen(others[i])) == 0)
            return false;
    return true;
}

bool javaname_is_question(const char *last_word)
{
    return strcmp(last_word, "-version") == 0 || strcmp(last_word, "--version") == 0;
}
