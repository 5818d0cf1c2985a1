/* options_scope.c - see options_scope.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_scope.h"
#include <stdio.h>
#include "options/options_general.h"
#include "options/options_group.h"

/* The options, their marks, and how far `ret` is filled. */
struct idle {
    const struct options *o;
    unsigned marks;
    struct options_scope *ret;
    int count, max;
};

/* Whether one of the words that ask for the group gives it one of the marks. */
static bool can_have(const struct options_group *g, unsigned marks)
{
    for (const struct options_ask *ask = g->asks; g->marks && ask && ask->option; ask++)
        if (g->marks(ask->value, g->defaults) & marks)
            return true;
    return false;
}

/* Writes what asks for the groups that have one of the marks: "heap=dump or heap=histo". */
static void put_needed(unsigned marks, char text[OPTIONS_SCOPE_NEEDED])
{
    size_t n = 0;
    text[0] = '\0';
    for (int i = 0; options_group_all[i]; i++) {
        const char *asked_by = options_group_all[i]->asked_by;
        if (asked_by && can_have(options_group_all[i], marks) && n < OPTIONS_SCOPE_NEEDED)
            n += (size_t)snprintf(text + n, OPTIONS_SCOPE_NEEDED - n, "%s%s", n ? " or " : "",
                                  asked_by);
    }
}

static void look_at(struct idle *idle, const struct options_row *rows,
                    const struct options_group *group, const void *own, const void *defaults)
{
    for (const struct options_row *row = rows; row && row->name; row++) {
        /* A group without words serves groups that have some. */
        unsigned marks = row->acts_with ? row->acts_with : group ? group->serves : 0;
        const char *needed = group ? group->asked_by : NULL;
        bool acts = row->acts_with ? (idle->marks & row->acts_with) != 0
                                   : group && options_group_wanted(idle->o, group);

        if (row->part != OPTIONS_ROW_NEW || !(needed || marks) || acts ||
            idle->count == idle->max || !options_row_is_given(row, own, defaults))
            continue;
        struct options_scope *found = &idle->ret[idle->count++];

        found->name = row->name;
        if (needed)
            snprintf(found->needed, sizeof(found->needed), "%s", needed);
        else
            put_needed(marks, found->needed);
    }
}

/* An engine that allows no other beside it is used by a program, which knows what its options
 * do. */
static bool is_alone(const struct options *o)
{
    for (int i = 0; options_group_all[i]; i++)
        if (options_group_all[i]->not_beside && options_group_wanted(o, options_group_all[i]))
            return true;
    return false;
}

int options_scope_idle(const struct options *o, struct options_scope *ret, int max)
{
    struct idle idle = {.o = o, .marks = options_group_marks(o), .ret = ret, .max = max};
    if (is_alone(o))
        return 0;
    for (int i = 0; options_group_all[i]; i++) {
        const struct options_group *g = options_group_all[i];
        look_at(&idle, g->rows, g, options_group_own(o, g), g->defaults);
    }
    look_at(&idle, options_general_rows, NULL, o, &options_general_defaults);
    return idle.count;
}
