/*
 * completion_rule.c - see completion_rule.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/completion_rule.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "attach/jvms.h"
#include "attach/main_class.h"
#include "base/perf_attr.h"
#include "base/sink.h"
#include "cli/candidates.h"
#include "command/cmd.h"
#include "command/help.h"
#include "command/opts.h"
#include "command/tabular.h"
#include "format/format.h"
#include "heap/question.h"
#include "jfrtool/jfr_catalogue.h"
#include "jfrtool/jfr_named.h"
#include "jvm/stat_table.h"
#include "options/options_group.h"
#include "options/options_settings.h"
#include "profile/series.h"
#include "query/query_named.h"
#include "recording/debug_on.h"
#include "recording/agent_words.h"
#include "top/top_choice.h"

enum {
    WORD_BYTES = 64,
    OPERAND_BYTES = 256,
    ABOUT_BYTES = 128,
    SUFFIXES_BYTES = 1024,
    AGENT_WORDS_MAX = 32,
    TOP_SORTS = TOP_CHOICE_ID + 1,
};

typedef void adder(const struct completion_rule_place *p, struct candidates *c);

/* ---- words of our tables */

void completion_rule_commands(const struct completion_rule_place *p, struct candidates *c)
{
    (void)p;
    for (const struct cmd *const *cmd = cmd_all; *cmd; cmd++)
        candidates_add(c, (*cmd)->name, (*cmd)->help);
}

static void add_topics(const struct completion_rule_place *p, struct candidates *c)
{
    (void)p;
    for (const struct help_topic *topic = help_topics; topic->name; topic++)
        candidates_add(c, topic->name, topic->what);
}

/* Questions about one dump. */
static void add_questions(const struct completion_rule_place *p, struct candidates *c)
{
    (void)p;
    for (const struct question *const *q = question_all; *q; q++)
        if (!(*q)->compares)
            candidates_add(c, (*q)->name, (*q)->help);
}

static void add_series(struct candidates *c)
{
    char about[ABOUT_BYTES];
    for (const struct series *s = series_next(NULL); s; s = series_next(s)) {
        const struct kind *kind = kind_all[s->kind];
        snprintf(about, sizeof(about), "%s: %s", kind->title, kind->values[s->value].words);
        candidates_add(c, s->word, about);
    }
}

static void add_read_formats(const struct completion_rule_place *p, struct candidates *c)
{
    (void)p;
    for (const struct format *const *format = format_all; *format; format++)
        if ((*format)->reader)
            candidates_add(c, (*format)->name, (*format)->help);
}

/* The forms in which tables are written. */
static void add_forms(const struct completion_rule_place *p, struct candidates *c)
{
    const char *word;
    (void)p;
    for (int i = 0; (word = tabular_form_word(i)) != NULL; i++)
        candidates_add(c, word, NULL);
}

static void add_report_formats(const struct completion_rule_place *p, struct candidates *c)
{
    add_forms(p, c);
    add_read_formats(p, c);
}

static void add_written_formats(const struct completion_rule_place *p, struct candidates *c)
{
    (void)p;
    for (const struct format *const *format = format_all; *format; format++)
        if ((*format)->writer)
            candidates_add(c, (*format)->name, (*format)->help);
}

static void add_triggers(const struct completion_rule_place *p, struct candidates *c)
{
    const char *word;
    (void)p;
    for (unsigned i = 0; (word = agent_words_trigger(i)) != NULL; i++)
        candidates_add(c, word, NULL);
    candidates_no_space();
}

static void add_debug_words(const struct completion_rule_place *p, struct candidates *c)
{
    const char *word;
    (void)p;
    for (unsigned i = 0; (word = debug_on_word(i)) != NULL; i++)
        candidates_add(c, word, NULL);
    candidates_no_space();
}

static void add_columns(const struct completion_rule_place *p, struct candidates *c)
{
    char word[WORD_BYTES];
    (void)p;
    for (const char *at = stat_table_options(); *at != '\0';) {
        size_t len = strcspn(at, " ");
        snprintf(word, sizeof(word), "%.*s", (int)len, at);
        candidates_add(c, word, NULL);
        at += len + strspn(at + len, " ");
    }
}

static void add_sorts(const struct completion_rule_place *p, struct candidates *c)
{
    (void)p;
    for (int i = 0; i < TOP_SORTS; i++)
        candidates_add(c, top_choice_word((enum top_choice_sort)i), NULL);
}

static void add_settings(const struct completion_rule_place *p, struct candidates *c)
{
    const char *word;
    (void)p;
    for (unsigned i = 0; (word = options_settings_preset(i)) != NULL; i++)
        candidates_add(c, word, NULL);
    candidates_add_files(c, ".jfc");
}

/* ---- events, views and releases of JFR */

static void add_events(const struct completion_rule_place *p, struct candidates *c)
{
    struct jfr_catalogue all = jfr_catalogue_all();
    (void)p;
    candidates_in_list(c);
    for (size_t i = 0; i < all.count; i += jfr_catalogue_rows_of(&all, i))
        candidates_add(c, all.rows[i].name, all.rows[i].label);
}

static void add_releases(const struct completion_rule_place *p, struct candidates *c)
{
    size_t count;
    const unsigned *releases = jfr_catalogue_releases(&count);
    (void)p;
    for (size_t i = 0; i < count; i++) {
        char word[WORD_BYTES];
        snprintf(word, sizeof(word), "%u", releases[i]);
        candidates_add(c, word, NULL);
    }
}

/* Several views may have one name. */
static bool is_first_view(size_t at, const char *name)
{
    for (size_t i = 0; i < at; i++)
        if (strcmp(jfr_named_at(i), name) == 0)
            return false;
    return true;
}

/* The operands behind `jfr WHAT`. */
static void add_jfr_operand(const struct completion_rule_place *p, struct candidates *c)
{
    const char *name;
    if (p->first && strcmp(p->first, "events") == 0) {
        add_events(p, c);
        return;
    }
    if (p->first && strcmp(p->first, "view") == 0 && p->operand == 1) {
        for (size_t i = 0; (name = jfr_named_at(i)) != NULL; i++)
            if (is_first_view(i, name))
                candidates_add(c, name, jfr_named_title(name));
        add_events(p, c);
        return;
    }
    const struct format *jfr = format_named("jfr");
    candidates_add_files(c, jfr ? jfr->suffixes : "");
}

/* ---- options of the agent */

static const struct options_row *find_in(const struct options_row *row, const char *name)
{
    for (; row && row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

static const struct options_row *find_agent_row(const char *name)
{
    const struct options_row *found = find_in(options_general_rows, name);
    for (int i = 0; !found && options_group_all[i]; i++)
        found = find_in(options_group_all[i]->rows, name);
    return found;
}

static void add_choices(const struct options_row *row, struct candidates *c)
{
    for (const struct options_row_choice *choice = row->choices; choice && choice->word; choice++)
        candidates_add(c, choice->word, NULL);
}

/* The words that may be the value of a row. */
static void add_row_words(const struct options_row *row, struct candidates *c)
{
    const char *words[AGENT_WORDS_MAX];
    int count = 0;
    switch (row->kind) {
    case OPTIONS_ROW_ASKS:
        candidates_in_list(c);
        /* fall through */
    case OPTIONS_ROW_ASK:
        count = options_group_words(row->name, words, AGENT_WORDS_MAX);
        for (int i = 0; i < count; i++)
            candidates_add(c, words[i], NULL);
        for (unsigned i = 0; row->kind == OPTIONS_ROW_ASKS && perf_attr_word(i); i++)
            candidates_add(c, perf_attr_word(i), NULL);
        candidates_add_alternatives(c,
                                    row->kind == OPTIONS_ROW_ASK && row->values ? row->values : "");
        break;
    case OPTIONS_ROW_CHOICE:
        add_choices(row, c);
        break;
    case OPTIONS_ROW_WORD_OF:
        for (int i = 0; row->names && row->names[i]; i++)
            candidates_add(c, row->names[i], NULL);
        break;
    case OPTIONS_ROW_SETTINGS:
        add_settings(NULL, c);
        break;
    case OPTIONS_ROW_OWN:
        /* A row with words that parses its value by itself takes several of them. */
        if (row->choices)
            candidates_in_list(c);
        add_choices(row, c);
        /* fall through */
    case OPTIONS_ROW_SWITCH:
        candidates_add_alternatives(c, row->values ? row->values : "");
        break;
    default:
        break;
    }
}

static void add_row_names(const struct options_row *row, struct candidates *c)
{
    char name[WORD_BYTES];
    for (; row && row->name; row++) {
        snprintf(name, sizeof(name), "%s=", row->name);
        if (row->part != OPTIONS_ROW_QUIET)
            candidates_add(c, name, row->about);
    }
}

/* NAME=VALUE, an option of the agent in its own words. */
static void add_agent_option(const struct completion_rule_place *p, struct candidates *c)
{
    const char *typed = c->word + c->front, *equals = strchr(typed, '=');
    char name[WORD_BYTES];
    (void)p;
    if (equals) {
        snprintf(name, sizeof(name), "%.*s", (int)(equals - typed), typed);
        const struct options_row *row = find_agent_row(name);
        c->front += (size_t)(equals + 1 - typed);
        if (row)
            add_row_words(row, c);
        return;
    }
    add_row_names(options_general_rows, c);
    for (int i = 0; options_group_all[i]; i++)
        add_row_names(options_group_all[i]->rows, c);
    candidates_no_space();
}

/* Whether the agent has an option of this name; a command that passes options to the agent then
 * takes the same words. Dashes in the name are the command's alone. */
static bool add_passed_option(const struct cmd *cmd, const char *name, struct candidates *c)
{
    char plain[WORD_BYTES];
    size_t len = 0;
    if (!opts_row(cmd, "agent-option", strlen("agent-option")))
        return false;
    for (; *name != '\0' && len < sizeof(plain) - 1; name++)
        if (*name != '-')
            plain[len++] = *name;
    plain[len] = '\0';
    const struct options_row *row = find_agent_row(plain);
    if (row)
        add_row_words(row, c);
    return row != NULL;
}

/* ---- what is on this machine */

/* The numbers of the JVMs; if a letter is typed, their main classes, which are targets, too. The
 * JVMs are only looked at in /proc, as `hprof ps` does. */
static void add_jvms(const struct completion_rule_place *p, struct candidates *c)
{
    const char *typed = c->word + c->front;
    bool is_name = *typed != '\0' && strspn(typed, "0123456789") == 0;
    struct jvms jvms;
    (void)p;
    if (jvms_list(&jvms) < 0) {
        jvms_done(&jvms);
        return;
    }
    for (uint32_t i = 0; i < jvms.count; i++) {
        const char *command = jvms.rows[i].command ? jvms.rows[i].command : "";
        size_t len = main_class_len(command), from = main_class_short(command, len);
        char *name = strndup(command + from, len - from), pid[WORD_BYTES];
        snprintf(pid, sizeof(pid), "%d", (int)jvms.rows[i].process.pid);
        if (name && is_name)
            candidates_add(c, name, pid);
        else if (name)
            candidates_add(c, pid, name);
        free(name);
    }
    jvms_done(&jvms);
}

static void add_files(const struct completion_rule_place *p, struct candidates *c)
{
    (void)p;
    candidates_add_files(c, "");
}

static void add_folders(const struct completion_rule_place *p, struct candidates *c)
{
    (void)p;
    candidates_add_folders(c);
}

static void add_libraries(const struct completion_rule_place *p, struct candidates *c)
{
    (void)p;
    candidates_add_files(c, ".so .jar");
}

static void add_configurations(const struct completion_rule_place *p, struct candidates *c)
{
    (void)p;
    candidates_add_files(c, ".conf");
}

/* Files of profiles, which may be packed. */
static void add_profiles(const struct completion_rule_place *p, struct candidates *c)
{
    char text[SUFFIXES_BYTES] = "";
    size_t n = 0;
    (void)p;
    for (const struct format *const *format = format_all; *format; format++) {
        for (const char *at = (*format)->suffixes; (*format)->reader && *at && n < sizeof(text);) {
            int len = (int)strcspn(at, " ");
            n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.*s %.*s.gz", n ? " " : "", len,
                                  at, len, at);
            at += len + (int)strspn(at + len, " ");
        }
    }
    candidates_add_files(c, text);
}

/* An input, or the name of a query. */
static void add_query_operand(const struct completion_rule_place *p, struct candidates *c)
{
    for (size_t i = 0; p->operand > 0 && query_named_at(i); i++)
        candidates_add(c, query_named_at(i), query_named_about(i));
    candidates_add_files(c, "");
}

static void add_command(const struct completion_rule_place *p, struct candidates *c)
{
    (void)c;
    candidates_hand_over(p->word);
}

static void add_nothing(const struct completion_rule_place *p, struct candidates *c)
{
    (void)p;
    (void)c;
}

/* ---- rules */

struct rule {
    const char *command; /* NULL: any */
    const char *place;   /* the name of an option, or a word of the operands */
    adder *add;
};

/* The first row that fits is taken. */
static const struct rule option_rules[] = {
    {NULL, "agent-option", add_agent_option},
    {NULL, "on", add_triggers},
    {NULL, "debug-on", add_debug_words},
    {"record", "jfr", add_settings},
    {"report", "format", add_report_formats},
    {"histo", "format", add_forms},
    {"threads", "format", add_forms},
    {"jfr", "format", add_forms},
    {"report", "to", add_written_formats},
    {"report", "markers", add_events},
    {"view", "markers", add_events},
    {"stat", "columns", add_columns},
    {"top", "sort", add_sorts},
    {"jfr", "events", add_events},
    {"jfr", "include-events", add_events},
    {"jfr", "exclude-events", add_events},
    {"jfr", "jdk", add_releases},
    {"jfr", "diff", add_releases},
    {"jfr", "input", add_settings},
};

/* By the words of opt.arg. A file that is to be written may have any name. */
static const struct rule value_rules[] = {
    {NULL, "FILE", add_files},
    {NULL, "PATH", add_libraries},
    {NULL, "DIR", add_folders},
};

/* By the words of cmd.operands. */
static const struct rule word_rules[] = {
    {"help", "COMMAND", completion_rule_commands},
    {"help", "TOPIC", add_topics},
    {"heap", "QUESTION", add_questions},
    {"query", "INPUT", add_query_operand},
    {"jcmd", "COMMAND", add_nothing},
    {NULL, "COMMAND", add_command},
    {NULL, "TARGET", add_jvms},
    {NULL, "CORE", add_files},
    {"report", "FILE", add_profiles},
    {"view", "FILE", add_profiles},
    {NULL, "BEFORE", add_profiles},
    {NULL, "AFTER", add_profiles},
    {"jfr", "FILE", add_jfr_operand},
    {NULL, "FILE", add_files},
    {NULL, "LIBRARY", add_libraries},
    {"watch", "CONFIG", add_configurations},
};

static const struct rule *find_rule(const struct rule *rules, size_t count, const char *place,
                                    const struct cmd *cmd)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rules[i].place, place) == 0 &&
            (!rules[i].command || strcmp(rules[i].command, cmd->name) == 0))
            return &rules[i];
    return NULL;
}

#define FIND_RULE(rules, place, cmd)                                                               \
    find_rule(rules, sizeof(rules) / sizeof((rules)[0]), place, cmd)

/* Adds what the words of "TARGET|FILE" or "a|b" stand for. FILE and CORE are one thing. */
static void add_described(const struct completion_rule_place *p, const char *text, bool is_value,
                          struct candidates *c)
{
    bool has_files = false;
    candidates_add_alternatives(c, text);
    for (;;) {
        char word[WORD_BYTES];
        size_t len = strcspn(text, "|");
        snprintf(word, sizeof(word), "%.*s", (int)strcspn(text, "|[="), text);
        bool is_file = strcmp(word, "FILE") == 0 || strcmp(word, "CORE") == 0;
        const struct rule *rule =
            is_value ? FIND_RULE(value_rules, word, p->cmd) : FIND_RULE(word_rules, word, p->cmd);
        if (rule && !(is_file && has_files))
            rule->add(p, c);
        has_files |= is_file;
        if (text[len] == '\0')
            return;
        text += len + 1;
    }
}

void completion_rule_option(const struct completion_rule_place *p, const struct opt *row,
                            struct candidates *c)
{
    const struct rule *rule = FIND_RULE(option_rules, row->name, p->cmd);
    if (strstr(row->help, HELP_SERIES))
        add_series(c);
    else if (rule)
        rule->add(p, c);
    else if (!add_passed_option(p->cmd, row->name, c))
        add_described(p, row->arg, true, c);
}

/* The operand with that number in "[--] TARGET|CORE [NAME...]", without brackets. A word with dots
 * stands for all that follow. Returns false if there are fewer operands. */
static bool find_operand(const char *operands, int number, char *ret, size_t size)
{
    for (const char *at = operands + strspn(operands, " ["); *at != '\0';) {
        size_t len = strcspn(at, " ");
        bool is_repeated = memmem(at, len, "...", 3) != NULL;
        snprintf(ret, size, "%.*s", (int)(is_repeated ? strcspn(at, ".") : strcspn(at, " ]")), at);
        if (strncmp(at, "--", 2) != 0 && (number-- == 0 || is_repeated))
            return true;
        at += len + strspn(at + len, " [");
    }
    return false;
}

bool completion_rule_is_command(const struct completion_rule_place *p)
{
    char text[OPERAND_BYTES];
    const struct rule *rule = find_operand(p->cmd->operands, p->operand, text, sizeof(text))
                                  ? FIND_RULE(word_rules, text, p->cmd)
                                  : NULL;
    return rule && rule->add == add_command;
}

void completion_rule_operand(const struct completion_rule_place *p, struct candidates *c)
{
    char text[OPERAND_BYTES];
    if (find_operand(p->cmd->operands, p->operand, text, sizeof(text)))
        add_described(p, text, false, c);
}
