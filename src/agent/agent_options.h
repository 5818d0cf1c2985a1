/*
 * agent_options.h - parses the option string of the agent and prints its mistakes on standard
 * error.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options.h"

/**
 * Parse `line` joined with `environment`; either may be NULL.
 * Errors: 0; E_SYNTAX after a message.
 * Owner: `ret` is all zero or has the options of an earlier call, which are freed. The caller frees
 * the last options by options_done(). Context: any.
 */
int agent_options_parse(const char *line, const char *environment, struct options *ret);
/**
 * Refuse unknown names, print which options have no effect, and fill in the values that depend on
 * the machine. Errors: 0; E_NOT_FOUND after a message. Context: any.
 */
int agent_options_complete(struct options *o);
