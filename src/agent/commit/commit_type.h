/*
 * commit_type.h - the types of events that the program has defined: a list that only grows.
 *
 * A definition that comes again, as of a web application that is deployed anew, is the same type.
 * Texts are copied, and bounded; what finds no room is no type. Knows no JVM.
 * Context of everything here: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/custom.h"

enum { COMMIT_TYPE_TEXT = 64 << 10 }; /* bytes of all texts */

/**
 * The number of the type that is defined so, made if it is new; its own number is not looked at.
 * Errors: -1: there is no room, which is counted.
 */
int commit_type_define(const struct custom_type *type);
const struct custom_list *commit_type_all(void);
/** How many definitions found no room. */
uint32_t commit_type_lost(void);
