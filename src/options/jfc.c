/*
 * jfc.c - see jfc.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/jfc.h"
#include <string.h>
#include <strings.h>
#include "base/err.h"

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
