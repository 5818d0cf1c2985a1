/*
 * on_words.h - the words of --on, as the agent's options of triggers: throw=X:dump is
 * onthrow=X:dump. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct inject;

/** What the row of --on says. */
#define ON_WORDS_HELP                                                                              \
    "begin when it happens: throw=CLASS, uncaught, method=CLASS::METHOD[:>50ms], gc=>200ms, oom; " \
    "with :stop, :dump, :threads, :heap or :launch=PROGRAM behind it do that; exit:dump"

/** Append the option that `text` stands for; what is wrong with it is said. */
void on_words_add(struct inject *in, const char *text);
