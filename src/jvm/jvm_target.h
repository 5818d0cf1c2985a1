/*
 * jvm_target.h - finds the JVMs that a word of the command line names.
 *
 * A number names a process. "all", or 0 as in jcmd, names all JVMs. Any other word is searched in
 * the main class or the name of the jar, ignoring case. Errors are printed on stderr, with the JVMs
 * that could be meant.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "attach/jvms.h"

struct cmd;

enum jvm_target_wants {
    JVM_TARGET_ONE,  /* one JVM: "all" is refused, and a name that fits several JVMs */
    JVM_TARGET_MANY, /* one or all: a name that fits several JVMs is refused */
};

/**
 * Errors: 0; CMD_USAGE or CMD_FAILED, after saying why. A number that is no process or no JVM is
 * not an error here: *ret gets one row with only the pid, and the code that opens the JVM reports
 * the error.
 * Owner: jvms_done(ret), also after an error.
 */
int jvm_target_find(const struct cmd *cmd, const char *word, enum jvm_target_wants wants,
                    struct jvms *ret);
/** Whether the word means all JVMs. */
bool jvm_target_is_all(const char *word);
/** The name of a JVM in messages: "4711 (Main)". Valid until the next call. */
const char *jvm_target_name(const struct jvm *jvm);
