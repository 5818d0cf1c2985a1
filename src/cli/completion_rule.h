/*
 * completion_rule.h - which words an option or an operand takes, and the tables that have them.
 *
 * A rule names a place of the command line, and a function that adds the words of that place. The
 * words are those of the tables by which the commands themselves work: commands, formats, series,
 * rows of the agent's options, and so on. Most places need no rule: an option whose value is
 * written as "a|b" takes these words, an option that the agent has by the same name takes the words
 * of the agent's row, and FILE is a file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct candidates;
struct cmd;
struct opt;

/** The place whose words are wanted. */
struct completion_rule_place {
    const struct cmd *cmd;
    const char *first; /* the first operand; NULL: it is the one that is completed */
    int operand;       /* its number, from 0; of the word that is completed */
    int word;          /* its place on the command line, from 0 */
};

/** Add the words that may be the value of an option. */
void completion_rule_option(const struct completion_rule_place *p, const struct opt *row,
                            struct candidates *c);
/** Add the words that may be the operand `p->operand`. */
void completion_rule_operand(const struct completion_rule_place *p, struct candidates *c);
/** Whether this operand is the name of another program, whose command line the words behind it
 * are. */
bool completion_rule_is_command(const struct completion_rule_place *p);
/** Add the names of all commands. */
void completion_rule_commands(const struct completion_rule_place *p, struct candidates *c);
