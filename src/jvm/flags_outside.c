/*
 * flags_outside.c - see flags_outside.h.
 * Source: HotSpot jvmFlag.cpp, print_as_flag() and print_on().
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/flags_outside.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "jvm/asking.h"
#include "command/cmd.h"
#include "jvm/outside.h"
#include "command/say.h"
#include "hotspot/vm_flags.h"
#include "hotspot/vm_start.h"

struct rows {
    struct vm_flag_row *all;
    size_t count, room;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct vm_flag_row *)a)->name, ((const struct vm_flag_row *)b)->name);
}

static int keep(struct rows *r, const struct vm_flag_row *row)
{
    if (r->count == r->room) {
        size_t room = r->room != 0 ? 2 * r->room : 256;
        struct vm_flag_row *all = realloc(r->all, room * sizeof(*all));
        if (!all)
            return -ENOMEM;
        r->all = all;
        r->room = room;
    }
    r->all[r->count++] = *row;
    return 0;
}

/* `name` NULL: all flags, or only those whose value is not the default. */
static int read_rows(const struct target *t, const char *name, bool is_all, struct rows *ret)
{
    struct vm_flags flags;
    struct vm_flag_row row;
    int error = vm_flags_begin(t, &flags);
    *ret = (struct rows){0};
    while (error == 0 && vm_flags_next(&flags, &row))
        if (name ? strcmp(row.name, name) == 0 : is_all || row.origin != 0)
            error = keep(ret, &row);
    if (ret->count > 1)
        qsort(ret->all, ret->count, sizeof(*ret->all), by_name);
    return error;
}

/* Writes "-XX:+Name" or "-XX:Name=Value". If the value has several lines, each line becomes an
 * option. */
static void put_option(const struct vm_flag_row *row, const char *value)
{
    if (row->type == VM_FLAG_BOOL) {
        say_out("-XX:%c%s", strcmp(value, "true") == 0 ? '+' : '-', row->name);
        return;
    }
    while (true) {
        size_t len = strcspn(value, "\n");
        say_out("-XX:%s=", row->name);
        asking_put(value, len);
        if (value[len] == '\0')
            return;
        putchar(' ');
        value += len + 1;
    }
}

static void put_line(const struct vm_flag_row *row, const char *value)
{
    say_out("%9s %-40s = ", vm_flags_type_word(row->type), row->name);
    asking_put(value, strlen(value));
    say_out("%*s {%s}", strlen(value) < 24 ? (int)(24 - strlen(value)) : 0, "",
            vm_flags_origin_word(row->origin));
    putchar('\n');
}

/* More is damage: the texts of a VM's flags have some hundred bytes. */
enum { VALUES_MAX = 16 << 20 };

/* If the value of a flag cannot be read, says so and goes on. */
static void put_rows(const struct outside_vm *vm, const struct rows *r, bool is_all, char *value)
{
    size_t bytes = 0;
    for (size_t i = 0; i < r->count && bytes < VALUES_MAX; i++, bytes += strlen(value)) {
        const struct vm_flag_row *row = &r->all[i];
        *value = '\0';
        if (vm_flags_value(&vm->target, row, value, VM_START_TEXT) < 0) {
            say("%s: the value of the flag %s cannot be read", vm->name, row->name);
            continue;
        }
        if (is_all)
            put_line(row, value);
        else
            put_option(row, value);
        if (!is_all)
            putchar(i + 1 < r->count ? ' ' : '\n');
    }
}

static int print(const struct outside_vm *vm, const char *name, bool is_all)
{
    struct rows rows;
    char *value = malloc(VM_START_TEXT);
    int error = !value ? -ENOMEM : read_rows(&vm->target, name, is_all, &rows);
    if (error == 0)
        put_rows(vm, &rows, is_all, value);
    bool is_unknown = error == 0 && name && rows.count == 0;
    if (is_unknown)
        say("%s: the JVM has no flag '%s'; --all lists them", vm->name, name);
    else if (error < 0)
        say("%s: the flags of this VM cannot be read: %s", vm->name, err_text(error));
    if (value)
        free(rows.all);
    free(value);
    return error < 0 || is_unknown ? CMD_FAILED : CMD_OK;
}

int flags_outside_print(const struct outside_vm *vm, bool is_all)
{
    return print(vm, NULL, is_all);
}

int flags_outside_print_one(const struct outside_vm *vm, const char *name)
{
    return print(vm, name, false);
}
