/*
 * commit_type.h - the types of events that the program has defined, in a list that only grows.
 *
 * A definition that comes again gives the same type, for example when a web application is deployed
 * again. The texts are copied, and their total size is limited; a definition that finds no room
 * becomes no type. This file knows no JVM. Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/custom.h"

enum { COMMIT_TYPE_TEXT = 64 << 10 }; /* most bytes of all texts together */

/**
 * The number of the type with this definition; a new type is added. type->number is not read.
 * Errors: -1: there is no room; commit_type_lost() counts this.
 */
int commit_type_define(const struct custom_type *type);
const struct custom_list *commit_type_all(void);
/** How many definitions found no room. */
uint32_t commit_type_lost(void);
