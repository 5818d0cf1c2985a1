/*
 * imports_variable.h - finds a thread-local variable that loaded libraries export.
 *
 * A library keeps its thread-local variables in the static block of each thread, or in blocks of
 * its own that the libc allocates when the thread first uses them. The dynamic linker decides it
 * when it loads the library. dlsym() gives the address in the calling thread, from which the
 * decision is found: only the static block lies close to the thread's own structure. For a block
 * of its own, the address that otel_thread_at() finds in the calling thread must be the same; if
 * it is not, the libc keeps its blocks in a way that is not known, and the variable is left out.
 * Source: System V ABI, "ELF Handling For Thread-Local Storage"; glibc's sysdeps/nptl/dl-tls.h,
 * musl's ldso/dynlink.c.
 * Context: any, not signal; no lock held that a constructor of a library could wait for.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "safe/otel_thread.h"

struct imports_variable {
    struct otel_thread_variable at;
    void *library; /* keeps the library loaded until dlclose() */
};

struct imports_variables {
    struct imports_variable of[OTEL_THREAD_VARIABLES];
    uint32_t count;
    uint32_t unknown; /* libraries that have the variable where it cannot be read */
    struct otel_thread_libc libc;
    unsigned long long changes; /* imports_list_changes() at the moment of the look */
};

/**
 * Find the variable `name` in other libraries than that of this code. The libraries that have it
 * stay loaded. Errors: 0; -ENOMEM. Owner: imports_variable_done().
 */
int imports_variable_find(const char *name, struct imports_variables *ret);
void imports_variable_done(struct imports_variables *v);
