/*
 * agent_options.h - an option string as the agent takes it, its mistakes said on standard error.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options.h"

/**
 * Parse `line` joined with `environment`; either may be NULL. Errors: 0; E_SYNTAX after a message.
 * Owner: `ret` is all zero or has the options of an earlier call, which are freed; the last ones by
 * options_done(). Context: any.
 */
int agent_options_parse(const char *line, const char *environment, struct options *ret);
/**
 * Names that nobody knows are refused, options that act on nothing are named, and what depends on
 * the machine is filled in. Errors: 0; E_NOT_FOUND after a message. Context: any.
 */
int agent_options_complete(struct options *o);
