/*
 * jfc_choice.c - see jfc_choice.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfc_choice.h"
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "base/err.h"
#include "base/nearest.h"
#include "command/textbuf.h"

enum { STEPS_MAX = 1000000, TIMESPAN = 32 };

/* An evaluation of conditions. A condition may refer to other conditions, even in a circle, so the
 * steps are counted. */
struct question {
    const struct jfc_tree *tree;
    const struct jfc_element *chosen; /* the control whose value changes */
    unsigned steps, depth;
};

static const char is_true[] = "true", is_false[] = "false";

static bool is_input(const struct jfc_element *e)
{
    return e->kind == JFC_TREE_SELECTION || e->kind == JFC_TREE_TEXT || e->kind == JFC_TREE_FLAG;
}

static bool has_name(const struct jfc_element *e, const char *name)
{
    const char *own = jfc_tree_attribute(e, "name");
    return own && strcmp(own, name) == 0;
}

/* The control after `e` in the <control> elements of `document` (0: of all documents); `e` NULL:
 * the first control. */
static struct jfc_element *next_control(const struct jfc_tree *t, const struct jfc_element *e,
                                        unsigned document)
{
    const struct jfc_element *group = e ? e->parent : NULL;
    struct jfc_element *next = e ? e->next : NULL;
    for (;;) {
        for (; next; next = next->next)
            if (is_input(next) || next->kind == JFC_TREE_CONDITION)
                return next;
        do
            group = jfc_tree_next(t->root, group, JFC_TREE_CONTROL);
        while (group && document > 0 && group->document != document);
        if (!group)
            return NULL;
        next = group->children;
    }
}

static const struct jfc_element *selected(const struct jfc_element *selection)
{
    const char *name = jfc_tree_attribute(selection, "default");
    const struct jfc_element *first = jfc_tree_next(selection, NULL, JFC_TREE_OPTION), *option;
    for (option = first; option; option = jfc_tree_next(selection, option, JFC_TREE_OPTION))
        if (has_name(option, name))
            return option;
    return first;
}

/* ---- values of controls; NULL: the control has no value */

static const char *value_of(struct question *q, const struct jfc_element *control);

static const char *value_of_test(struct question *q, const struct jfc_element *test)
{
    const char *name = jfc_tree_attribute(test, "name");
    const struct jfc_element *c = next_control(q->tree, NULL, test->document);
    while (c && !has_name(c, name))
        c = next_control(q->tree, c, test->document);
    const char *value = c ? value_of(q, c) : NULL;

    if (!value)
        return NULL;
    return strcmp(value, jfc_tree_attribute(test, "value")) == 0 ? is_true : is_false;
}

/* The value of <and> and <or>: the value `decides` if one of the parts has it. */
static const char *value_of_parts(struct question *q, const struct jfc_element *e,
                                  const char *decides)
{
    const char *all = NULL;
    for (const struct jfc_element *part = e->children; part; part = part->next) {
        const char *value = value_of(q, part);
        if (value && strcmp(value, decides) == 0)
            return decides;
        all = value ? value : all;
    }
    return all;
}

static const char *value_of_not(struct question *q, const struct jfc_element *e)
{
    const char *value = value_of(q, e->children);
    if (!value)
        return NULL;
    return strcmp(value, is_true) == 0 ? is_false : is_true;
}

static const char *value_of_condition(struct question *q, const struct jfc_element *e)
{
    const char *value = e->children ? value_of(q, e->children) : NULL;
    if (value && strcmp(value, is_true) == 0)
        return jfc_tree_attribute(e, "true");
    return value && strcmp(value, is_false) == 0 ? jfc_tree_attribute(e, "false") : NULL;
}

static const char *value_of(struct question *q, const struct jfc_element *e)
{
    const char *value = NULL;
    if (++q->steps > STEPS_MAX || q->depth == JFC_TREE_DEPTH) {
        q->steps = STEPS_MAX;
        return NULL;
    }
    q->depth++;
    if (e->kind == JFC_TREE_SELECTION)
        value = selected(e)->content;
    else if (is_input(e))
        value = e->content;
    else if (e->kind == JFC_TREE_TEST)
        value = value_of_test(q, e);
    else if (e->kind == JFC_TREE_NOT)
        value = value_of_not(q, e);
    else if (e->kind == JFC_TREE_AND || e->kind == JFC_TREE_OR)
        value = value_of_parts(q, e, e->kind == JFC_TREE_AND ? is_false : is_true);
    else if (e->kind == JFC_TREE_CONDITION)
        value = value_of_condition(q, e);
    q->depth--;
    return value;
}

/* ---- what a choice changes */

static bool depends(struct question *q, const struct jfc_element *e);

/* Whether a control of that name is the chosen control or depends on it. */
static bool name_depends(struct question *q, const char *name, unsigned document)
{
    for (const struct jfc_element *c = next_control(q->tree, NULL, document); c;
         c = next_control(q->tree, c, document))
        if (has_name(c, name) && depends(q, c))
            return true;
    return false;
}

static bool depends(struct question *q, const struct jfc_element *e)
{
    bool does = e == q->chosen;
    if (++q->steps > STEPS_MAX || q->depth == JFC_TREE_DEPTH) {
        q->steps = STEPS_MAX;
        return false;
    }
    q->depth++;
    if (e->kind == JFC_TREE_TEST)
        does = name_depends(q, jfc_tree_attribute(e, "name"), e->document);
    else if (!is_input(e))
        for (const struct jfc_element *part = e->children; part && !does; part = part->next)
            does = depends(q, part);
    q->depth--;
    return does;
}

/* The value of the first control of this name that has a value. */
static const char *value_named(struct question *q, const char *name, unsigned document)
{
    const char *value = NULL;
    for (const struct jfc_element *c = next_control(q->tree, NULL, document); c && !value;
         c = next_control(q->tree, c, document))
        if (has_name(c, name))
            value = value_of(q, c);
    return value;
}

static int follow(struct jfc_tree *t, const struct jfc_element *chosen)
{
    struct question q = {.tree = t, .chosen = chosen};
    for (struct jfc_element *s = jfc_tree_next(t->root, NULL, JFC_TREE_SETTING); s;
         s = jfc_tree_next(t->root, s, JFC_TREE_SETTING)) {
        const char *name = jfc_tree_attribute(s, "control"), *value = NULL;
        if (name && s->document == chosen->document && name_depends(&q, name, s->document))
            value = value_named(&q, name, s->document);
        if (q.steps >= STEPS_MAX)
            return E_LIMIT;
        if (value && jfc_tree_set_content(t, s, value) < 0)
            return -ENOMEM;
    }
    return 0;
}

/* ---- choices */

/* Turns "20ms" into "20 ms", as the JDK writes it. Errors: 0, E_SYNTAX. */
static int take_timespan(const char *text, char ret[TIMESPAN])
{
    static const char *const units[] = {"ns", "us", "ms", "s", "m", "h", "d"};
    char *end;
    long long number;

    if (!strchr("+-0123456789", *text))
        return E_SYNTAX;
    errno = 0;
    number = strtoll(text, &end, 10);
    if (errno || end == text)
        return E_SYNTAX;
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(end, units[i]) == 0) {
            snprintf(ret, TIMESPAN, "%lld %s", number, units[i]);
            return 0;
        }
    return E_SYNTAX;
}

static void list_options(const struct jfc_element *selection, const char *between,
                         struct textbuf *to)
{
    const struct jfc_element *option = jfc_tree_next(selection, NULL, JFC_TREE_OPTION);
    for (const char *before = ""; option; before = between) {
        textbuf_printf(to, "%s%s", before, jfc_tree_attribute(option, "name"));
        option = jfc_tree_next(selection, option, JFC_TREE_OPTION);
    }
}

static int choose_option(struct jfc_tree *t, struct jfc_element *selection, const char *value,
                         char *why, size_t room)
{
    const struct jfc_element *option = jfc_tree_next(selection, NULL, JFC_TREE_OPTION);
    struct textbuf known = {0};
    while (option && !has_name(option, value))
        option = jfc_tree_next(selection, option, JFC_TREE_OPTION);
    if (option)
        return jfc_tree_set_attribute(t, selection, "default", value);
    list_options(selection, ", ", &known);
    snprintf(why, room, "one of %.*s is wanted", (int)known.len, known.len ? known.bytes : "");
    textbuf_done(&known);
    return E_SYNTAX;
}

static bool is_timespan(const struct jfc_element *text)
{
    const char *type = jfc_tree_attribute(text, "contentType");
    return type && strcmp(type, "timespan") == 0;
}

static int choose_text(struct jfc_tree *t, struct jfc_element *text, const char *value, char *why,
                       size_t room)
{
    char timespan[TIMESPAN];
    if (is_timespan(text)) {
        if (take_timespan(value, timespan) < 0) {
            snprintf(why, room, "a time is wanted, as in 20ms, with ns, us, ms, s, m, h or d");
            return E_SYNTAX;
        }
        value = timespan;
    }
    return jfc_tree_set_content(t, text, value);
}

static int choose_flag(struct jfc_tree *t, struct jfc_element *flag, const char *value, char *why,
                       size_t room)
{
    if (strcmp(value, is_true) != 0 && strcmp(value, is_false) != 0) {
        snprintf(why, room, "true or false is wanted");
        return E_SYNTAX;
    }
    return jfc_tree_set_content(t, flag, value);
}

static int choose(struct jfc_tree *t, struct jfc_element *input, const char *value, char *why,
                  size_t room)
{
    int error = input->kind == JFC_TREE_SELECTION ? choose_option(t, input, value, why, room)
                : input->kind == JFC_TREE_TEXT    ? choose_text(t, input, value, why, room)
                                                  : choose_flag(t, input, value, why, room);
    if (error == 0)
        error = follow(t, input);
    if (error == E_LIMIT)
        snprintf(why, room, "conditions of the input lead to each other");
    return error == E_LIMIT ? E_SYNTAX : error;
}

/* ---- settings of events */

static struct jfc_element *child_named(const struct jfc_element *parent, enum jfc_tree_kind kind,
                                       const char *name)
{
    struct jfc_element *e = parent->children;
    while (e && (e->kind != kind || !has_name(e, name)))
        e = e->next;
    return e;
}

/* Finds the child of `parent` with this name, or makes it if `adds` is set. Errors: 0, -ENOMEM,
 * E_NOT_FOUND. */
static int find_child(struct jfc_tree *t, struct jfc_element *parent, enum jfc_tree_kind kind,
                      const char *name, bool adds, struct jfc_element **ret)
{
    struct jfc_element *e = child_named(parent, kind, name);
    if (!e && !adds)
        return E_NOT_FOUND;
    if (!e) {
        e = jfc_tree_add(t, parent, kind == JFC_TREE_EVENT ? "event" : "setting");
        if (!e || jfc_tree_set_attribute(t, e, "name", name) < 0)
            return -ENOMEM;
    }
    *ret = e;
    return 0;
}

static int set_setting(struct jfc_tree *t, const char *event, const char *name, bool adds,
                       const char *value, char *why, size_t room)
{
    struct jfc_element *e, *s;
    char timespan[TIMESPAN];
    int error = find_child(t, t->root, JFC_TREE_EVENT, event, adds, &e);
    if (error == E_NOT_FOUND)
        snprintf(why, room, "no input has that event; a + before the name adds it");
    if (error == 0) {
        error = find_child(t, e, JFC_TREE_SETTING, name, adds, &s);
        if (error == E_NOT_FOUND)
            snprintf(why, room, "the event has no such setting; a + before the name adds it");
    }
    if (error < 0)
        return error;
    if ((strcmp(name, "period") == 0 || strcmp(name, "threshold") == 0) &&
        take_timespan(value, timespan) == 0)
        value = timespan; /* any other value stays, because a later JDK may know it */
    return jfc_tree_set_content(t, s, value);
}

/* Names the control that the user may have meant, if no control has this name. */
static void say_unknown(const struct jfc_tree *t, const char *name, char *why, size_t room)
{
    const struct jfc_element *best = NULL;
    unsigned least = NEAREST_FAR;
    for (const struct jfc_element *c = next_control(t, NULL, 0); c; c = next_control(t, c, 0)) {
        const char *known = is_input(c) ? jfc_tree_attribute(c, "name") : NULL;
        unsigned far = known ? nearest_distance(name, known) : NEAREST_FAR;
        if (far < least) {
            least = far;
            best = c;
        }
    }
    if (best)
        snprintf(why, room, "the input has no such option; did you mean %s?",
                 jfc_tree_attribute(best, "name"));
    else
        snprintf(why, room,
                 "the input has no such option; 'hprof jfr configure' lists those that it has");
}

int jfc_choice_set(struct jfc_tree *t, const char *name, const char *value, char *why, size_t room)
{
    bool adds = name[0] == '+';
    const char *mark = strchr(name, '#');
    char *event;
    int error;
    for (struct jfc_element *c = next_control(t, NULL, 0); c; c = next_control(t, c, 0))
        if (is_input(c) && has_name(c, name))
            return choose(t, c, value, why, room);
    if (!mark || mark == name + adds || !mark[1]) {
        say_unknown(t, name, why, room);
        return E_NOT_FOUND;
    }
    event = strndup(name + adds, (size_t)(mark - name) - adds);
    error = event ? set_setting(t, event, mark + 1, adds, value, why, room) : -ENOMEM;
    free(event);
    return error;
}

void jfc_choice_list(const struct jfc_tree *t, struct textbuf *to)
{
    for (const struct jfc_element *c = next_control(t, NULL, 0); c; c = next_control(t, c, 0)) {
        if (!is_input(c))
            continue;
        textbuf_printf(to, "%s=", jfc_tree_attribute(c, "name"));
        if (c->kind == JFC_TREE_SELECTION)
            list_options(c, "|", to);
        else if (c->kind == JFC_TREE_FLAG)
            textbuf_text(to, "true|false");
        else
            textbuf_text(to, is_timespan(c) ? "TIME" : "TEXT");
        textbuf_printf(to, " (%s)\n",
                       c->kind == JFC_TREE_SELECTION ? jfc_tree_attribute(selected(c), "name")
                       : c->content[0]               ? c->content
                                                     : "empty");
    }
}

const char *jfc_choice_twice(const struct jfc_tree *t)
{
    for (const struct jfc_element *c = next_control(t, NULL, 0); c; c = next_control(t, c, 0)) {
        const char *name = jfc_tree_attribute(c, "name");
        const struct jfc_element *other = next_control(t, c, 0);
        while (name && other && (other->document == c->document || !has_name(other, name)))
            other = next_control(t, other, 0);
        if (name && other)
            return name;
    }
    return NULL;
}
