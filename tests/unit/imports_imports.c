/*
 * imports_imports.c - slots of imports that get hooks and are restored, in libraries that are bound
 * at once, lazily, and in a scope of their own.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "imports/imports.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#include "cmocka_all.h"
#include "imports/imports_library.h"

enum { MORE = 1000000, SLOTS_MAX = 4096 };

/* The runtimes of sanitizers end a program that opens a library with RTLD_DEEPBIND. */
static void skip_if_sanitized(void)
{
    if (imports_sanitizer())
        skip();
}

static _Atomic(imports_function) targets[IMPORTS_TARGETS];

#define HOOK(i)                                                                                    \
    static pid_t hook_##i(void)                                                                    \
    {                                                                                              \
        return ((pid_t(*)(void))targets[i])() + MORE;                                              \
    }
HOOK(0)
HOOK(1)
HOOK(2)
HOOK(3)

static const imports_function hooks[IMPORTS_TARGETS] = {
    (imports_function)hook_0, (imports_function)hook_1, (imports_function)hook_2,
    (imports_function)hook_3};
static const struct imports_row rows[] = {{"getppid", hooks, targets, NULL, NULL}};

static struct imports table(void)
{
    return (struct imports){.rows = rows, .row_count = 1};
}

/* ---- all slots of getppid() in the process */

struct slots {
    struct {
        uint64_t *at, word;
    } of[SLOTS_MAX];
    int count;
};

static void note(void *arg, const struct imports_slot *slot)
{
    struct slots *s = arg;
    if (strcmp(slot->name, "getppid") == 0 && s->count < SLOTS_MAX) {
        s->of[s->count].at = slot->at;
        s->of[s->count++].word = *slot->at;
    }
}

static int note_library(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct imports_library l;
    imports_library_read(info, &l);
    if (l.dynamic)
        imports_library_slots(&l, ~(uint64_t)0, note, arg);
    free(l.path);
    return 0;
}

static struct slots *slots_now(void)
{
    static struct slots found;
    found.count = 0;
    dl_iterate_phdr(note_library, &found);
    return &found;
}

static bool is_hook(uint64_t word)
{
    for (int i = 0; i < IMPORTS_TARGETS; i++)
        if ((uint64_t)(uintptr_t)hooks[i] == word)
            return true;
    return false;
}

static int hooked(void)
{
    const struct slots *s = slots_now();
    int count = 0;
    for (int i = 0; i < s->count; i++)
        count += is_hook(s->of[i].word);
    return count;
}

/* The lines of /proc/self/maps that name the library: protections are among them. */
static char *maps_of(const char *part)
{
    char *all = NULL, *line = NULL;
    size_t size = 0, len = 0, room = 0;
    FILE *file = fopen("/proc/self/maps", "r"), *out = open_memstream(&all, &size);
    assert_non_null(file);
    while (getline(&line, &room, file) > 0)
        if (strstr(line, part))
            len += (size_t)fputs(line, out);
    (void)len;
    free(line);
    fclose(file);
    fclose(out);
    return all;
}

/* ---- */

struct client {
    void *library;
    int (*call)(void), (*address)(void), (*tables)(void);
};

static struct client open_client(const char *path, int flags)
{
    struct client c = {.library = dlopen(path, flags)};
    assert_non_null(c.library);
    c.call = (int (*)(void))dlsym(c.library, "imports_client_call");
    c.address = (int (*)(void))dlsym(c.library, "imports_client_address");
    c.tables = (int (*)(void))dlsym(c.library, "imports_client_tables");
    return c;
}

static void expect(const struct client *c, int value)
{
    assert_int_equal(c->call(), value);
    assert_int_equal(c->address(), value);
    assert_int_equal(c->tables(), value);
}

static void check_client(const char *path, const char *part, int flags, int value)
{
    struct imports t = table();
    struct client c = open_client(path, flags);
    char *before = maps_of(part);
    assert_true(imports_is_due(&t));
    assert_true(imports_patch(&t) > 0);
    assert_int_equal(t.counts.refused, 0);
    assert_int_equal(t.counts.crowded, 0);
    expect(&c, value + MORE);
    while (imports_is_due(&t)) /* after slots that were not bound */
        assert_int_equal(imports_patch(&t), 0);
    assert_true(imports_restore(&t) > 0);
    expect(&c, value);
    assert_int_equal(hooked(), 0);
    char *after = maps_of(part);
    assert_string_equal(before, after);
    free(before);
    free(after);
    dlclose(c.library);
}

static void slots_that_are_bound_at_once_lie_in_protected_pages(void **state)
{
    (void)state;
    check_client(CLIENT_NOW, "imports_client_now", RTLD_NOW, getppid());
}

static void slots_that_are_bound_lazily_get_hooks_before_their_first_call(void **state)
{
    (void)state;
    check_client(CLIENT_LAZY, "imports_client_lazy", RTLD_LAZY, getppid());
}

static void a_slot_whose_function_is_not_certain_waits_for_its_first_call(void **state)
{
    (void)state;
    skip_if_sanitized();
    struct imports t = table();
    struct client c = open_client(CLIENT_OWN, RTLD_LAZY | RTLD_DEEPBIND);
    imports_patch(&t);
    assert_true(t.counts.unsure > 0);
    assert_int_equal(c.call(), -7); /* binds it */
    imports_patch(&t);
    assert_int_equal(t.counts.unsure, 0);
    expect(&c, -7 + MORE);
    imports_restore(&t);
    expect(&c, -7);
    dlclose(c.library);
}

static void call(imports_function unbound)
{
    (void)((pid_t(*)(void))unbound)();
}

static void one_call_tells_in_which_scope_a_library_is_bound(void **state)
{
    (void)state;
    skip_if_sanitized();
    const struct imports_row calls[] = {{"getppid", hooks, targets, NULL, call}};
    static const struct {
        int flags;
        bool is_own;
    } ways[] = {{RTLD_LAZY | RTLD_DEEPBIND, true}, {RTLD_LAZY, false}};
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        struct imports t = {.rows = calls, .row_count = 1};
        struct client c = open_client(CLIENT_OWN, ways[i].flags);
        int value = ways[i].is_own ? -7 : getppid();
        imports_patch(&t);
        assert_int_equal(t.counts.unsure, 0);
        expect(&c, value + MORE);
        imports_restore(&t);
        expect(&c, value);
        dlclose(c.library);
    }
}

static void each_slot_has_the_word_that_it_had(void **state)
{
    (void)state;
    skip_if_sanitized();
    static struct slots before;
    struct imports t = table();
    struct client now = open_client(CLIENT_NOW, RTLD_NOW);
    struct client own = open_client(CLIENT_OWN, RTLD_NOW | RTLD_DEEPBIND);
    expect(&own, -7);
    before = *slots_now();
    assert_true(before.count >= 4);
    for (int round = 0; round < 20; round++) {
        imports_patch(&t);
        expect(&now, getppid() % MORE + MORE);
        expect(&own, -7 + MORE);
        imports_restore(&t);
        const struct slots *after = slots_now();
        assert_int_equal(after->count, before.count);
        for (int i = 0; i < before.count; i++)
            assert_int_equal(after->of[i].word, before.of[i].word);
    }
    dlclose(now.library);
    dlclose(own.library);
}

static volatile bool stops;

static void *load_and_unload(void *arg)
{
    int parent = *(const int *)arg;
    for (long n = 0; !stops; n++) {
        struct client c =
            open_client(n % 2 ? CLIENT_NOW : CLIENT_LAZY, n % 2 ? RTLD_NOW : RTLD_LAZY);
        int call = c.call();
        if (call != parent && call != parent + MORE)
            return "a wrong answer";
        dlclose(c.library);
    }
    return NULL;
}

static void libraries_may_come_and_go_meanwhile(void **state)
{
    (void)state;
    struct imports t = table();
    pthread_t threads[2];
    int parent = getppid();
    void *wrong;
    stops = false;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, load_and_unload, &parent), 0);
    for (int round = 0; round < 300; round++) {
        assert_true(imports_patch(&t) >= 0);
        assert_true(imports_restore(&t) >= 0);
    }
    stops = true;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    assert_int_equal(hooked(), 0);
}

static bool wants_none(imports_function target)
{
    return false;
}

static void a_row_may_leave_targets_alone(void **state)
{
    (void)state;
    const struct imports_row none[] = {{"getppid", hooks, targets, wants_none, NULL}};
    struct imports t = {.rows = none, .row_count = 1};
    struct client c = open_client(CLIENT_NOW, RTLD_NOW);
    assert_int_equal(imports_patch(&t), 0);
    expect(&c, getppid());
    dlclose(c.library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_that_are_bound_at_once_lie_in_protected_pages),
        cmocka_unit_test(slots_that_are_bound_lazily_get_hooks_before_their_first_call),
        cmocka_unit_test(a_slot_whose_function_is_not_certain_waits_for_its_first_call),
        cmocka_unit_test(one_call_tells_in_which_scope_a_library_is_bound),
        cmocka_unit_test(each_slot_has_the_word_that_it_had),
        cmocka_unit_test(libraries_may_come_and_go_meanwhile),
        cmocka_unit_test(a_row_may_leave_targets_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
