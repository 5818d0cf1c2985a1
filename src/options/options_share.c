/*
 * options_share.c - see options_share.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_share.h"
#include <errno.h>
#include <string.h>
#include "base/err.h"
#include "options/options_group.h"

static bool is_value(const struct options_row *row)
{
    return row->kind != OPTIONS_ROW_ASK && row->kind != OPTIONS_ROW_ASKS &&
           row->kind != OPTIONS_ROW_OWN && !row->is_unused;
}

static bool is_fixed(const struct options_row *row)
{
    return is_value(row) &&
           (row->share == OPTIONS_ROW_FIXED || row->share == OPTIONS_ROW_FIXED_IF_SAID);
}

/* Whether `more` gives a value. If the row has no said_at, a value that equals the default counts
 * as not given. */
static bool is_said(const struct options_row *row, const void *more, const void *defaults)
{
    return row->said_at ? *(const bool *)((const char *)more + row->said_at)
                        : options_row_is_given(row, more, defaults);
}

/* Copies fixed values that `more` does not give. Returns the first row that cannot have both
 * values; NULL: there is none. */
static const struct options_row *differing(const struct options_row *row, const void *all,
                                           void *more, const void *defaults)
{
    for (; row && row->name; row++) {
        if (!is_fixed(row) || !options_row_is_given(row, more, all))
            continue;
        if (row->share == OPTIONS_ROW_FIXED || is_said(row, more, defaults))
            return row;
        options_row_copy(row, more, all);
    }
    return NULL;
}

/* The option with which `more` asks for the group, if its word differs from that of `all`; NULL: no
 * conflict. */
static const char *differing_ask(const struct options *all, const struct options *more,
                                 const struct options_group *group)
{
    int wanted = options_group_asked(more, group), has = options_group_asked(all, group);
    if (group->is_asked_apart)
        return NULL;
    for (const struct options_ask *ask = group->asks; ask && ask->option; ask++)
        if (wanted && has && wanted != has && ask->value == wanted)
            return ask->option;
    return NULL;
}

static int refuse(struct options_error *e, const char *name)
{
    snprintf(e->text, sizeof(e->text), "%s=", name);
    return E_VM_STATE;
}

int options_share_check(const struct options *all, struct options *more,
                        struct options_error *ret_error)
{
    const struct options_row *row =
        differing(options_general_rows, all, more, &options_general_defaults);
    for (int i = 0; options_group_all[i] && !row; i++) {
        const struct options_group *g = options_group_all[i];
        const char *ask = differing_ask(all, more, g);
        if (ask)
            return refuse(ret_error, ask);
        if (g->bytes && options_group_wanted(all, g) && options_group_wanted(more, g))
            row = differing(g->rows, options_group_own(all, g), options_group_at(more->own, i),
                            g->defaults);
    }
    return row ? refuse(ret_error, row->name) : 0;
}

/* ---- the fold */

static bool is_better(const struct options_row *row, const void *value, const void *than)
{
    double v = options_row_number(row, value), t = options_row_number(row, than);
    return row->share == OPTIONS_ROW_LEAST ? v < t : v > t;
}

/* Sets each LEAST or MOST row of `all` to the least or greatest value in `parts`. */
static void fold_rows(const struct options_row *row, void *all, const void *const *parts, int count)
{
    for (; count > 0 && row && row->name; row++) {
        if (!is_value(row) || (row->share != OPTIONS_ROW_LEAST && row->share != OPTIONS_ROW_MOST))
            continue;
        options_row_copy(row, all, parts[0]);
        for (int i = 1; i < count; i++)
            if (is_better(row, parts[i], all))
                options_row_copy(row, all, parts[i]);
    }
}

static void fold_general(struct options *all, const struct options *const *parts, int count)
{
    const void *values[OPTIONS_SHARE_PARTS];
    for (int i = 0; i < count; i++)
        values[i] = parts[i];
    fold_rows(options_general_rows, all, values, count);
}

/* Folds the group with index `i` over the parts that want it. */
static void fold_group(struct options_own *own, int i, const struct options *const *parts,
                       int count)
{
    const struct options_group *g = options_group_all[i];
    const void *values[OPTIONS_SHARE_PARTS];
    int wanting = 0;
    for (int p = 0; p < count && wanting < OPTIONS_SHARE_PARTS; p++)
        if (options_group_wanted(parts[p], g))
            values[wanting++] = options_group_own(parts[p], g);
    if (wanting > 0)
        fold_rows(g->rows, options_group_at(own, i), values, wanting);
}

int options_share_fold(struct options *all, const struct options *const *parts, int count)
{
    struct options_own *own = all->own;
    if (!own) {
        own = options_group_new();
        if (!own)
            return -ENOMEM;
        *all = *parts[0];
        all->own = own;
    }
    fold_general(all, parts, count);
    for (int i = 0; options_group_all[i]; i++) {
        const struct options_group *g = options_group_all[i];
        const struct options *from = NULL;
        for (int p = 0; p < count && !from; p++)
            if (options_group_wanted(parts[p], g) || (count == 1 && !options_group_wanted(all, g)))
                from = parts[p];
        if (!from)
            options_group_drop(own, i);
        else if (!options_group_wanted(all, g))
            options_group_take(own, from->own, i);
        fold_group(own, i, parts, count);
    }
    options_group_settle(own, all->format);
    return 0;
}
