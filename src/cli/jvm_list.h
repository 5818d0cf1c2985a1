/*
 * jvm_list.h - the list of JVMs as people and programs read it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct jvm_list {
    bool is_plain; /* a line a JVM as jps has it: number, name, and what is asked for */
    bool is_quiet; /* numbers alone */
    bool is_json;
    bool is_full;      /* the main class with its packages, the jar with its folders */
    bool has_args;     /* and the arguments of main */
    bool has_vm_args;  /* and the options of the VM */
    bool has_vm_flags; /* and those of its flags file */
};

/** Prints all JVMs. Returns an exit status, after saying why it is not 0. */
int jvm_list_print(const struct jvm_list *l);
