/*
 * jfc.c - see jfc.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/jfc.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "base/err.h"
#include "base/units.h"
#include "options/options.h"
#include "safe/clock.h"

void jfc_open(struct jfc *j, const char *text, size_t len)
{
    *j = (struct jfc){0};
    xml_open(&j->xml, text, len);
}

static bool is_element(const struct xml_part *part, const char *name)
{
    return part->name_len == strlen(name) && strncasecmp(part->name, name, part->name_len) == 0;
}

/* Handles the begin of an element. Sets j->name to where its attribute `name` goes. Errors: 0,
 * E_SYNTAX. */
static int begin_element(struct jfc *j, const struct xml_part *part)
{
    if (!j->has_root && !is_element(part, "configuration"))
        return xml_fail(&j->xml, "the first element is not <configuration>");
    j->has_root = true;
    j->name = NULL;
    if (is_element(part, "event")) {
        j->setting.event[0] = '\0';
        j->name = j->setting.event;
    } else if (j->setting.event[0] && is_element(part, "setting")) {
        j->is_in_setting = true;
        j->setting.name[0] = '\0';
        j->setting.value[0] = '\0';
        j->name = j->setting.name;
    }
    return 0;
}

static void add_value(struct jfc *j, const struct xml_part *part)
{
    size_t len = strlen(j->setting.value);
    if (j->is_in_setting)
        xml_text(part, j->setting.value + len, JFC_TEXT - len);
}

static void trim(char *text)
{
    static const char blanks[] = " \t\r\n";
    size_t len = strlen(text), lead = strspn(text, blanks);
    while (len > lead && strchr(blanks, text[len - 1]))
        len--;
    memmove(text, text + lead, len - lead);
    text[len - lead] = '\0';
}

/* Handles the end of an element. Returns whether it ends a setting that has a value. */
static bool end_element(struct jfc *j, const struct xml_part *part)
{
    bool is_setting = j->is_in_setting && is_element(part, "setting");
    if (is_element(part, "event"))
        j->setting.event[0] = '\0';
    if (is_setting)
        j->is_in_setting = false;
    return is_setting && !part->is_short;
}

int jfc_next(struct jfc *j, struct jfc_setting *ret)
{
    struct xml_part part;
    int more;
    while ((more = xml_next(&j->xml, &part)) > 0) {
        if (part.kind == XML_OPENS && begin_element(j, &part) < 0)
            break;
        if (part.kind == XML_ATTRIBUTE && j->name && xml_is(&part, "name"))
            xml_text(&part, j->name, JFC_TEXT);
        if (part.kind == XML_TEXT)
            add_value(j, &part);
        if (part.kind == XML_CLOSES && end_element(j, &part)) {
            *ret = j->setting;
            trim(ret->value);
            return 1;
        }
    }
    if (more == 0 && !j->has_root)
        return xml_fail(&j->xml, "there is no <configuration>");
    if (more == 0 && j->is_in_setting)
        return xml_fail(&j->xml, "a text that does not end");
    return j->xml.why ? E_SYNTAX : 0;
}

/* ---- values */

/* Copies a value without blanks: "20 ms" is "20ms" in an option. */
static int without_blanks(const char *value, char ret[JFC_VALUE_TEXT])
{
    size_t n = 0;
    for (; *value; value++) {
        if (strchr(" \t\r\n", *value))
            continue;
        if (n + 1 == JFC_VALUE_TEXT)
            return E_SYNTAX;
        ret[n++] = *value;
    }
    ret[n] = '\0';
    return n > 0 ? 0 : E_SYNTAX;
}

/* Replaces the unit of minutes: "m" in a setting, "min" in an option. */
static int with_our_minutes(char text[JFC_VALUE_TEXT])
{
    size_t digits = strspn(text, "0123456789");
    if (strcmp(text + digits, "m") != 0)
        return 0;
    if (digits + sizeof("min") > JFC_VALUE_TEXT)
        return E_SYNTAX;
    memcpy(text + digits, "min", sizeof("min"));
    return 0;
}

static bool is_never(const char *text)
{
    static const char *const words[] = {"infinity", "everyChunk", "beginChunk", "endChunk"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

/* Converts a time. A period of 0 turns the JDK's sampler off; a period that is too short becomes
 * the shortest one. Values like everyChunk mean "never", because a chunk of a file is no moment at
 * which a thread could be sampled. */
static int for_time(const struct options_row *row, char text[JFC_VALUE_TEXT])
{
    uint64_t ns = 0;
    int error;
    if (is_never(text))
        return JFC_VALUE_NEVER;
    if (with_our_minutes(text) != 0)
        return E_SYNTAX;
    error = units_parse_duration(text, NS_PER_MS, &ns);
    if (error == E_RANGE || (!error && ns == 0 && row->least > 0))
        return JFC_VALUE_NEVER;
    if (error)
        return error;
    snprintf(text, JFC_VALUE_TEXT, "%lluns",
             (unsigned long long)(ns < row->least ? row->least : ns));
    return JFC_VALUE_IS;
}

int jfc_value_for(const struct options_row *row, const char *value, char ret[JFC_VALUE_TEXT])
{
    int error = without_blanks(value, ret);
    if (error)
        return error;
    if (row->kind == OPTIONS_ROW_TIME)
        return for_time(row, ret);
    if (row->kind == OPTIONS_ROW_RATE && ret[0] == '0' && ret[strspn(ret, "0")] == '/')
        return JFC_VALUE_NEVER;
    return JFC_VALUE_IS;
}

int jfc_value_throttle(const struct options_row *row, const char *value, long processors,
                       char ret[JFC_VALUE_TEXT])
{
    static const struct options_row rate_row = {.name = "throttle", .kind = OPTIONS_ROW_RATE};
    char unused[OPTIONS_MESSAGE];
    double rate, ns;
    int error = without_blanks(value, ret);
    if (error)
        return error;
    if (strcmp(ret, "off") == 0 || ret[strspn(ret, "0")] == '/')
        return JFC_VALUE_NEVER;
    if (options_row_set(&rate_row, &rate, ret, unused, sizeof(unused)) != 0)
        return for_time(row, ret);
    ns = (double)processors * NS_PER_S / rate;
    if (!(ns < (double)INT64_MAX))
        return JFC_VALUE_NEVER;
    snprintf(ret, JFC_VALUE_TEXT, "%lluns",
             (unsigned long long)(ns < (double)row->least ? (double)row->least : ns));
    return JFC_VALUE_IS;
}

int jfc_value_enabled(const char *value, bool *ret)
{
    char text[JFC_VALUE_TEXT];
    if (without_blanks(value, text) != 0 ||
        (strcasecmp(text, "true") != 0 && strcasecmp(text, "false") != 0))
        return E_SYNTAX;
    *ret = strcasecmp(text, "true") == 0;
    return 0;
}
