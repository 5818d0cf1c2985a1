/*
 * jvm_target.h - which JVMs a word of the command line means.
 *
 * A number is a process. "all", and 0 as in jcmd, are all JVMs; another word is looked for in the
 * main class or the name of the jar, in either case. Complains on stderr itself, with the JVMs that
 * could be meant. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "attach/jvms.h"

struct cmd;

enum jvm_target_wants {
    JVM_TARGET_ONE,  /* "all" is refused, and a name that two have */
    JVM_TARGET_MANY, /* "all" is taken; a name that two have is refused */
};

/**
 * Errors: 0; CMD_USAGE, CMD_FAILED, after saying why. A number of no process, or of no JVM, is left
 * to whoever opens it: then there is one row with nothing but the pid.
 * Owner:  jvms_done(ret), also after an error.
 */
int jvm_target_find(const struct cmd *cmd, const char *word, enum jvm_target_wants wants,
                    struct jvms *ret);
/** What a JVM is called in a message: "4711 (Main)"; valid until the next call. */
const char *jvm_target_name(const struct jvm *jvm);
