/*
 * jvm_list.h - prints the list of JVMs for people and for programs.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

struct redact_text;

enum { JVM_LIST_USER = 33, JVM_LIST_UPTIME = 24 }; /* sizes in bytes, with the final 0 */

struct jvm_list {
    bool is_plain; /* a line for each JVM as jps prints it: number, name, and the parts below */
    bool is_quiet; /* numbers only */
    bool is_json;
    bool is_full;               /* the main class with its packages, the jar with its folders */
    bool has_args;              /* also the arguments of main */
    bool has_vm_args;           /* also the options of the VM */
    bool has_vm_flags;          /* also the options of its flags file */
    struct redact_text *redact; /* counts what is left out; NULL: everything is shown */
};

/** Prints all JVMs. Returns an exit status, after saying why it is not 0. */
int jvm_list_print(const struct jvm_list *l);

/** The name of a user, or the user's number. */
void jvm_list_put_user(char text[JVM_LIST_USER], uid_t uid);
/** How long a JVM has been running, as in "2h07m". "-" for a negative number: not known. */
void jvm_list_put_uptime(char text[JVM_LIST_UPTIME], double age_s);
