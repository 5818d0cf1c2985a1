/*
 * push.h - sends what files hold to a receiver of profiles.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "push/push_how.h"

/** Adds an attribute of all resources, which replaces one of that key. Errors: 0; E_LIMIT. */
int push_attribute(struct push_how *how, const char *key, const char *value);
/**
 * Checks what is asked for, without sending: before the program records for an hour. Errors: 0;
 * negative after saying why.
 */
int push_check(const struct push_how *how);
/**
 * Sends the files, one after another. What a receiver does not take is said and counted. Errors: 0;
 * negative after saying why: nothing could be sent, or a file could not be read.
 */
int push_files(const struct push_how *how, const char *const *files, size_t count,
               struct push_result *ret_result);
/** Says what was sent. Returns whether all of it arrived. */
bool push_say(const struct push_how *how, const struct push_result *r);
