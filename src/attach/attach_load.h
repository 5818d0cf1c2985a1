/*
 * attach_load.h - make a JVM load an agent, and read from its reply whether it did, in all
 * releases.
 *
 * The JVM opens the library itself: the path is below the JVM's own root folder, and the JVM's user
 * must be able to read the file. An agent that is loaded already is called again each time.
 * Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "attach/attach.h"

enum attach_load_result {
    ATTACH_LOAD_DONE,   /* Agent_OnAttach was called and returned 0 */
    ATTACH_LOAD_FAILED, /* Agent_OnAttach was called and returned `code` */
    /* the library was not loaded; the reply's text says why, except on JDK 8 */
    ATTACH_LOAD_NOT_FOUND,
    ATTACH_LOAD_DISABLED, /* the JVM runs with -XX:-EnableDynamicAgentLoading */
};

/** Read the reply to a load. *ret_code becomes the number in the reply. */
enum attach_load_result attach_load_understand(const struct attach_reply *reply, int *ret_code);
/** Why a library was not loaded, in the JVM's words: the line of the system's loader, which follows
 * the JVM's own line, or the JVM's line if there is no other; "" if there is none. Returns a place
 * in the reply's text; *ret_len becomes the length of the line. */
const char *attach_load_reason(const struct attach_reply *reply, int *ret_len);
/** Load an agent. `library` is an absolute path, or a name as after -agentlib:. `options` may be
 * NULL. The caller frees `reply`, also after an error. */
enum attach_cause attach_load(struct attach *a, const char *library, const char *options,
                              struct attach_reply *reply, enum attach_load_result *ret_result,
                              int *ret_code);
