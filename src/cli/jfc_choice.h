/*
 * jfc_choice.h - what the <control> elements of .jfc files offer, and the settings that follow.
 *
 * A control is a selection, a text or a flag, which a user chooses, or a condition, whose value
 * follows from others. A setting has the name of the control that governs it, of its own document.
 * A choice changes the settings that depend on it and no others: what was set by hand stays.
 * Source: the JDK's `jfr configure`, JDK 17 to 28. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include "cli/jfc_tree.h"

struct textbuf;

/**
 * `name` is that of a control ("gc"), or EVENT#SETTING of an event in the tree, or of any event
 * behind a '+'. Errors: 0; -ENOMEM; E_SYNTAX or E_NOT_FOUND with `why`, that names neither `name`
 * nor `value`.
 */
int jfc_choice_set(struct jfc_tree *t, const char *name, const char *value, char *why, size_t room);
/** What can be chosen, one control a line: "gc=off|normal|all (normal)". */
void jfc_choice_list(const struct jfc_tree *t, struct textbuf *to);
/** The name of a control that two documents have; NULL: there is none, as it must be. */
const char *jfc_choice_twice(const struct jfc_tree *t);
