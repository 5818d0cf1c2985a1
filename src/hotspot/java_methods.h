/*
 * java_methods.h - names and lines of methods of a target, each read once.
 *
 * This is a cache by Method*. Fill it while the process is stopped; afterwards it may be used for
 * any time.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct target;

struct java_method {
    uint64_t addr;    /* Method* */
    char *class_name; /* as in Java programs: java.lang.Object; "?": not readable */
    char *name, *signature;
    char *source_file;    /* NULL: unknown */
    unsigned char *lines; /* compressed table; NULL: none */
    uint32_t lines_len;
    bool is_native;
};

struct java_methods {
    const struct target *target;
    struct java_method **slots;
    uint32_t capacity, count;
};

void java_methods_init(struct java_methods *m, const struct target *t);
void java_methods_done(struct java_methods *m);

/** The method at `addr`; NULL only if there is no memory. Owner: the cache. */
const struct java_method *java_methods_get(struct java_methods *m, uint64_t addr);

/** The line of a bytecode index; -1: unknown. */
int32_t java_methods_line(const struct java_methods *m, const struct java_method *method,
                          int32_t bci);

/** Change the VM's form of a class name to that of Java programs, in place. */
void java_methods_external_name(char *name);
