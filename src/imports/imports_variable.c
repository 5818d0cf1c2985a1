/*
 * imports_variable.c - see imports_variable.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "imports/imports_variable.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include "imports/imports_list.h"

/* The static block of glibc has 2 to 4 KB besides the variables of the program. */
enum { STATIC_BLOCK_MAX = 64 << 10 };

/* Only glibc has this function. */
extern const char *gnu_get_libc_version(void) __attribute__((weak));

/* The thread pointer less pthread_self(). */
static int32_t thread_pointer(void)
{
#if defined(__x86_64__)
    return 0; /* in glibc and in musl the structure begins there */
#elif defined(__aarch64__)
    return (int32_t)((uintptr_t)__builtin_thread_pointer() - (uintptr_t)pthread_self());
#else
#error "this CPU's thread pointer is not known"
#endif
}

static struct otel_thread_libc libc(void)
{
    const bool is_x86 = thread_pointer() == 0;
    if (gnu_get_libc_version)
        return (struct otel_thread_libc){
            .vector_at = thread_pointer() + (is_x86 ? 8 : 0), .count_at = -16, .stride = 16};
    return (struct otel_thread_libc){
        .vector_at = thread_pointer() + (is_x86 ? 8 : -8), .count_at = 0, .stride = 8};
}

/* Returns false: the variable cannot be found in other threads. */
static bool place(struct imports_variables *v, const struct imports_library *l, uint64_t here,
                  uint64_t in_block, struct otel_thread_variable *ret)
{
    uint64_t self = (uint64_t)(uintptr_t)pthread_self();
    int64_t distance = (int64_t)(here - self);
    if (here == 0 || here % sizeof(uint64_t) != 0)
        return false;
    if (distance > -STATIC_BLOCK_MAX && distance < STATIC_BLOCK_MAX) {
        *ret = (struct otel_thread_variable){.module = 0, .offset = distance};
        return true;
    }
    *ret = (struct otel_thread_variable){.module = (uint32_t)l->tls_module,
                                         .offset = (int64_t)in_block};
    return otel_thread_at(ret, &v->libc, self) == here;
}

static void look_at(struct imports_variables *v, const struct imports_library *l, const char *name)
{
    struct imports_variable found = {.library = NULL};
    const ElfW(Sym) * symbol;
    if (l->tls_module == 0 || !l->dynamic || v->count == OTEL_THREAD_VARIABLES ||
        imports_library_is_this(l))
        return;
    found.library = imports_library_pin(l);
    if (!found.library)
        return;
    symbol = imports_library_defined(l, name);
    if (!symbol || ELF64_ST_TYPE(symbol->st_info) != STT_TLS ||
        symbol->st_size != sizeof(uint64_t)) {
        dlclose(found.library);
        return;
    }
    /* The library itself is the first in which dlsym() looks. */
    uint64_t here = (uint64_t)(uintptr_t)dlsym(found.library, name);
    if (place(v, l, here, symbol->st_value, &found.at)) {
        v->of[v->count++] = found;
        return;
    }
    v->unknown++;
    dlclose(found.library);
}

int imports_variable_find(const char *name, struct imports_variables *ret)
{
    struct imports_list list;
    int error = imports_list_read(&list);
    *ret = (struct imports_variables){.libc = libc()};
    if (error < 0)
        return error;
    for (size_t i = 0; i < list.count; i++)
        look_at(ret, &list.of[i], name);
    ret->changes = list.changes;
    imports_list_done(&list);
    return 0;
}

void imports_variable_done(struct imports_variables *v)
{
    for (uint32_t i = 0; i < v->count; i++)
        dlclose(v->of[i].library);
    v->count = 0;
}
