/*
 * on_words.h - turns a word of --on into the agent's option for a trigger: throw=X:dump becomes
 * onthrow=X:dump.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct inject;

/** The help text of --on. */
#define ON_WORDS_HELP                                                                              \
    "begin when it happens: throw=CLASS, uncaught, method=CLASS::METHOD[:>50ms], gc=>200ms, oom; " \
    "with :stop, :dump, :threads, :heap or :launch=PROGRAM behind it do that; exit:dump"

/** Append the agent's option for `text`. Errors are reported, and set in->failed. */
void on_words_add(struct inject *in, const char *text);
