/*
 * attach_load.h - have a JVM load an agent, and understand in all releases whether it did.
 *
 * The JVM opens the library itself: the path is one of its own root folder, and its user must be
 * able to read it. An agent that is loaded already is called again, each time.
 * Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "attach/attach.h"

enum attach_load_result {
    ATTACH_LOAD_DONE,      /* Agent_OnAttach was called and returned 0 */
    ATTACH_LOAD_FAILED,    /* it was called and returned `code` */
    ATTACH_LOAD_NOT_FOUND, /* the library was not loaded: see the reply's text; JDK 8 gives none */
    ATTACH_LOAD_DISABLED,  /* -XX:-EnableDynamicAgentLoading */
};

/** What the reply to a load says, and in *ret_code the number that came with it. */
enum attach_load_result attach_load_understand(const struct attach_reply *reply, int *ret_code);
/** Why a library was not loaded, in the JVM's words: the loader's line where there is one, behind
 * the JVM's own; "" none. Returns the reply's text; *ret_len, its bytes. */
const char *attach_load_reason(const struct attach_reply *reply, int *ret_len);
/**
 * `library`: an absolute path, or a name as after -agentlib:. `options` may be NULL. `reply` stays
 * the caller's to give back, also after an error.
 */
enum attach_cause attach_load(struct attach *a, const char *library, const char *options,
                              struct attach_reply *reply, enum attach_load_result *ret_result,
                              int *ret_code);
