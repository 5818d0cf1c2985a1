/*
 * jvm_list.h - the list of JVMs as people and programs read it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

enum { JVM_LIST_USER = 33, JVM_LIST_UPTIME = 24 }; /* bytes, with the final 0 */

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

/** The name of a user, or his number. */
void jvm_list_put_user(char text[JVM_LIST_USER], uid_t uid);
/** How long a JVM has been running, as "2h07m"; "-" of a negative number: not known. */
void jvm_list_put_uptime(char text[JVM_LIST_UPTIME], double age_s);
