/*
 * loader_static.c - what SQLite asks the dynamic linker for, in the statically linked command.
 *
 * SQLite loads extensions by dlopen(), which queries may not have it do (query_limit.h). A
 * statically linked program has no dynamic linker that would fit, so nothing is ever found here.
 * The linker puts these functions in the place of the C library's (--wrap, src/cli/meson.build).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stddef.h>

void *__wrap_dlopen(const char *path, int flags);
void *__wrap_dlsym(void *restrict library, const char *restrict name);
int __wrap_dlclose(void *library);
char *__wrap_dlerror(void);

void *__wrap_dlopen(const char *path, int flags)
{
    (void)path;
    (void)flags;
    return NULL;
}

void *__wrap_dlsym(void *restrict library, const char *restrict name)
{
    (void)library;
    (void)name;
    return NULL;
}

int __wrap_dlclose(void *library)
{
    (void)library;
    return 0;
}

char *__wrap_dlerror(void)
{
    static char text[] = "this program loads nothing";
    return text;
}
