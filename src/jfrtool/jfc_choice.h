/*
 * jfc_choice.h - the controls of .jfc files, and the settings that depend on them.
 *
 * A control (an element below <control>) is a selection, a text or a flag, which a user chooses, or
 * a condition, whose value follows from other controls. A setting may name a control of its own
 * document that governs it. A choice changes only the settings that depend on it: values that were
 * set by hand stay.
 * Source: the JDK's `jfr configure`, JDK 17 to 28.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include "jfrtool/jfc_tree.h"

struct textbuf;

/**
 * Sets a control or a setting. `name` is the name of a control ("gc"), or EVENT#SETTING for an
 * event in the tree, or +EVENT#SETTING for any event. Errors: 0; -ENOMEM; E_SYNTAX or E_NOT_FOUND
 * with the reason in `why`, which names neither `name` nor `value`.
 */
int jfc_choice_set(struct jfc_tree *t, const char *name, const char *value, char *why, size_t room);
/** Lists what can be chosen, each control in a line: "gc=off|normal|all (normal)". */
void jfc_choice_list(const struct jfc_tree *t, struct textbuf *to);
/** The name of a control that two documents have, which is an error; NULL: there is none. */
const char *jfc_choice_twice(const struct jfc_tree *t);
