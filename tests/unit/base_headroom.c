/*
 * base_headroom.c - the limits of memory cgroups, found and read.
 *
 * A row names what stands in a folder like /proc and in folders like those of cgroups: "@" in a
 * text is the folder of all. SPDX-License-Identifier: Apache-2.0
 */
#include "base/headroom.h"
#include "cmocka_all.h"
#include "testfile.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 24, MB = 1 << 20 };

#define GB1 "1073741824"
#define MB768 "805306368"
#define MB512 "536870912"
#define MB256 "268435456"
#define MB100 "104857600"
#define PLENTY "MemTotal: 33554432 kB\nMemFree: 1 kB\nMemAvailable: 16777216 kB\n"
#define V1_MOUNT "35 31 0:32 / @/v1 rw,relatime shared:9 - cgroup cgroup rw,memory\n"
#define V2_MOUNT "41 31 0:38 / @/v2 rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n"
#define CPU_MOUNT "32 31 0:29 / @/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"

struct file {
    const char *name, *text;
};

struct row {
    const char *what;
    uint64_t left; /* in MB, of what has least; UINT64_MAX nothing is limited */
    struct file files[FILES];
};

static char top[PATH_MAX];

static void put_path(char *to, const char *name)
{
    snprintf(to, PATH_MAX, "%.200s/%.200s", top, name);
}

static void write_file(const char *name, const char *text)
{
    testfile_put(top, name, text);
}

static void make_folder(void)
{
    snprintf(top, sizeof(top), "/tmp/hprof-room.XXXXXX");
    assert_non_null(mkdtemp(top));
}

static void remove_folder(void)
{
    testfile_remove_folder(top);
}

static void open_row(struct headroom *r, const struct row *row)
{
    char proc[PATH_MAX];
    make_folder();
    for (int i = 0; i < FILES && row->files[i].name; i++)
        write_file(row->files[i].name, row->files[i].text);
    put_path(proc, "proc");
    headroom_open(r, proc);
}

static uint64_t least(const struct headroom *r)
{
    uint64_t left = UINT64_MAX;
    for (int i = 0; i < r->count; i++)
        left = r->limits[i].left < left ? r->limits[i].left : left;
    return left;
}

static const struct row rows[] = {
    {"the machine alone", 16384, {{"proc/meminfo", PLENTY}}},
    {"nothing that can be read", UINT64_MAX, {{"proc/meminfo", "MemAvailable: \n:::\n"}}},
    {"version 2, a limit two levels up",
     768,
     {{"proc/self/cgroup", "0::/a/b/c\n"},
      {"proc/self/mountinfo", CPU_MOUNT V2_MOUNT},
      {"v2/a/b/c/memory.max", "max\n"},
      {"v2/a/b/c/memory.current", "1\n"},
      {"v2/a/memory.max", GB1 "\n"},
      {"v2/a/memory.current", MB256 "\n"}}},
    {"version 2, the least of nested limits",
     256,
     {{"proc/self/cgroup", "0::/a/b\n"},
      {"proc/self/mountinfo", V2_MOUNT},
      {"proc/meminfo", PLENTY},
      {"v2/a/b/memory.max", MB512 "\n"},
      {"v2/a/b/memory.current", MB256 "\n"},
      {"v2/a/memory.max", GB1 "\n"},
      {"v2/a/memory.current", MB256 "\n"}}},
    {"version 2, the page cache is room",
     612, /* 1024 - (512 - 100) */
     {{"proc/self/cgroup", "0::/a\n"},
      {"proc/self/mountinfo", V2_MOUNT},
      {"v2/a/memory.max", GB1 "\n"},
      {"v2/a/memory.current", "536870913\n"},
      {"v2/a/memory.stat",
       "anon 1\ninactive_anon 5\nactive_file 1\ninactive_file " MB100 "\nslab 9\n"}}},
    {"version 2 in a cgroup namespace: the mount is the group",
     256,
     {{"proc/self/cgroup", "0::/\n"},
      {"proc/self/mountinfo", V2_MOUNT},
      {"v2/memory.max", GB1 "\n"},
      {"v2/memory.current", MB768 "\n"},
      {"v2/memory.stat", "anon 1\n"}}},
    {"version 1 in a container without a namespace: the mount shows the group alone",
     256,
     {{"proc/self/cgroup", "5:cpu,cpuacct:/docker/0123\n4:memory:/docker/0123\n0::/docker/0123\n"},
      {"proc/self/mountinfo",
       CPU_MOUNT "35 31 0:32 /docker/0123 @/v1 ro - cgroup cgroup rw,memory\n" V2_MOUNT},
      {"v1/memory.limit_in_bytes", GB1 "\n"},
      {"v1/memory.usage_in_bytes", MB768 "\n"},
      {"v1/memory.stat", "inactive_file " GB1 "\n"}}}, /* its own: what counts is total_ */
    {"the mount's root is no part of the path",
     256,
     {{"proc/self/cgroup", "4:memory:/../sibling\n"},
      {"proc/self/mountinfo", "35 31 0:32 /here @/v1 ro - cgroup cgroup rw,memory\n"},
      {"v1/memory.limit_in_bytes", GB1 "\n"},
      {"v1/memory.usage_in_bytes", MB768 "\n"}}},
    {"a root that is only the beginning of a name",
     256,
     {{"proc/self/cgroup", "4:memory:/docker/01234\n"},
      {"proc/self/mountinfo", "35 31 0:32 /docker/0123 @/v1 ro - cgroup cgroup rw,memory\n"},
      {"v1/memory.limit_in_bytes", GB1 "\n"},
      {"v1/memory.usage_in_bytes", MB768 "\n"},
      {"v14/memory.limit_in_bytes", MB256 "\n"},
      {"v14/memory.usage_in_bytes", MB256 "\n"}}},
    {"hybrid: memory is version 1's, and the empty group of version 2 says nothing",
     356,
     {{"proc/self/cgroup", "9:name=systemd:/s\n4:cpu,memory:/a\n0::/s\n"},
      {"proc/self/mountinfo", V2_MOUNT V1_MOUNT CPU_MOUNT},
      {"v2/s/cgroup.procs", ""},
      {"v1/a/memory.limit_in_bytes", GB1 "\n"},
      {"v1/a/memory.usage_in_bytes", MB768 "\n"},
      {"v1/a/memory.stat", "active_file 7\ntotal_active_file 1\ntotal_inactive_file " MB100 "\n"}}},
    {"version 1 without a limit",
     16384,
     {{"proc/self/cgroup", "4:memory:/a\n"},
      {"proc/self/mountinfo", V1_MOUNT},
      {"proc/meminfo", PLENTY},
      {"v1/a/memory.limit_in_bytes", "9223372036854771712\n"},
      {"v1/a/memory.usage_in_bytes", MB768 "\n"},
      {"v1/memory.limit_in_bytes", "9223372036854771712\n"},
      {"v1/memory.usage_in_bytes", GB1 "\n"}}},
    {"more in use than the limit",
     0,
     {{"proc/self/cgroup", "0::/a\n"},
      {"proc/self/mountinfo", V2_MOUNT},
      {"v2/a/memory.max", MB512 "\n"},
      {"v2/a/memory.current", GB1 "\n"}}},
    {"text that makes no sense",
     UINT64_MAX,
     {{"proc/self/cgroup", "\n:\n4:memory\n0::\n0:memory,:\n::::\n4:memory:/a\n"},
      {"proc/self/mountinfo", "\n - \n - cgroup cgroup memory\na b c d - cgroup cgroup memory\n"
                              "35 31 0:32 / @/v1 rw\n35 31 0:32 / @/v1 rw - cgroup\n"},
      {"v1/a/memory.limit_in_bytes", GB1 "\n"},
      {"v1/a/memory.usage_in_bytes", MB768 "\n"}}},
    {"numbers that are none",
     UINT64_MAX,
     {{"proc/self/cgroup", "0::/a/b\n"},
      {"proc/self/mountinfo", V2_MOUNT},
      {"v2/a/memory.max", "many\n"},
      {"v2/a/memory.current", "1\n"},
      {"v2/a/b/memory.max", MB512 "\n"}, /* and nobody says how much is in use */
      {"v2/memory.max", ""},
      {"v2/memory.current", "1\n"}}},
};

static void each_row_has_the_room_that_its_limits_leave(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct headroom r;
        uint64_t left;
        open_row(&r, &rows[i]);
        left = least(&r);
        headroom_close(&r);
        remove_folder();
        if (left != UINT64_MAX)
            left /= MB;
        if (left != rows[i].left)
            fail_msg("%s: %llu MB", rows[i].what, (unsigned long long)left);
        assert_int_equal(r.count, 0);
    }
}

/* A line that does not fit is passed over as a whole, whatever stands in its middle. */
static void a_mount_with_very_many_words_hides_no_other(void **state)
{
    (void)state;
    enum { LONG = 20000 };
    static const char words[] = "1 2 0:3 / @/v2 rw - cgroup2 cgroup2 rw ";
    char *text = calloc(1, LONG + sizeof(V2_MOUNT) + 1);
    struct row row = {.files = {{"proc/self/cgroup", "0::/a\n"},
                                {"v2/a/memory.max", GB1 "\n"},
                                {"v2/a/memory.current", MB768 "\n"},
                                {"proc/self/mountinfo", text}}};
    struct headroom r;

    for (size_t i = 0; i < LONG; i++)
        text[i] = words[i % (sizeof(words) - 1)];
    open_row(&r, &row);
    assert_int_equal(r.count, 1); /* the machine */
    headroom_close(&r);
    remove_folder();

    text[LONG - 1] = '\n';
    memcpy(text + LONG, V2_MOUNT, sizeof(V2_MOUNT));
    open_row(&r, &row);
    assert_int_equal(r.count, 2);
    assert_true(least(&r) == (uint64_t)256 * MB);
    headroom_close(&r);
    remove_folder();
    free(text);
}

static void very_deep_groups_are_looked_at_as_far_as_there_is_room(void **state)
{
    (void)state;
    char path[512] = "", text[600], name[PATH_MAX];
    size_t n = 0;
    struct row row = {.files = {{"proc/self/mountinfo", V2_MOUNT}}};
    struct headroom r;

    open_row(&r, &row);
    headroom_close(&r);
    for (int i = 0; i < 2 * HEADROOM_MAX; i++) {
        n += (size_t)snprintf(path + n, sizeof(path) - n, "/g");
        snprintf(name, sizeof(name), "v2%s/memory.max", path);
        write_file(name, GB1 "\n");
    }
    snprintf(text, sizeof(text), "0::%s\n", path);
    write_file("proc/self/cgroup", text);
    put_path(name, "proc");
    headroom_open(&r, name);
    assert_int_equal(r.count, HEADROOM_MAX);
    headroom_close(&r);
    remove_folder();
}

static void set_used(uint64_t mb)
{
    char text[32];
    snprintf(text, sizeof(text), "%llu\n", (unsigned long long)mb * MB);
    write_file("v2/a/memory.current", text);
}

static void what_was_taken_lately_has_to_be_there_again(void **state)
{
    (void)state;
    static const uint64_t ms = 1000000;
    struct row row = {.files = {{"proc/self/cgroup", "0::/a\n"},
                                {"proc/self/mountinfo", V2_MOUNT},
                                {"v2/a/memory.max", GB1 "\n"}, /* 64 MB are its reserve */
                                {"v2/a/memory.current", MB256 "\n"}}};
    struct headroom r;
    uint64_t now;

    open_row(&r, &row);
    now = r.looked_ns;
    assert_null(headroom_lacks(&r, 0, 0));
    assert_null(headroom_lacks(&r, (uint64_t)(768 - 64) * MB, 0));
    assert_string_equal(headroom_lacks(&r, (uint64_t)(768 - 64) * MB + 1, 0),
                        "the memory cgroup has 768 MB of 1024 MB left, and 769 MB are needed (64 "
                        "MB of them stay free)");
    set_used(256 + 40); /* 4 MB a millisecond; 728 - 64 are left */
    headroom_look(&r, now += 10 * ms);
    assert_null(headroom_lacks(&r, 0, 166 * ms));
    assert_non_null(headroom_lacks(&r, 0, 167 * ms));
    headroom_look(&r, now += 10 * ms); /* nothing was taken, but that may come again */
    assert_non_null(headroom_lacks(&r, 0, 200 * ms));
    for (int i = 0; i < 100; i++)
        headroom_look(&r, now += 10 * ms);
    assert_null(headroom_lacks(&r, 0, 100000 * ms));
    set_used(256); /* given back: nothing is taken */
    headroom_look(&r, now += 10 * ms);
    assert_null(headroom_lacks(&r, 0, 100000 * ms));
    set_used(1024 - 16); /* of the reserve a quarter is left, and then less */
    headroom_look(&r, now += 10 * ms);
    assert_non_null(headroom_lacks(&r, 0, 0));
    assert_null(headroom_ends(&r, 0));
    assert_non_null(headroom_ends(&r, 1));
    set_used(1024 - 15);
    headroom_look(&r, now += 10 * ms);
    assert_non_null(headroom_ends(&r, 0));
    write_file("v2/a/memory.max", "max\n"); /* a limit may change */
    headroom_look(&r, now + 10 * ms);
    assert_null(headroom_ends(&r, 0));
    assert_null(headroom_lacks(&r, (uint64_t)1 << 50, 100 * ms));
    headroom_close(&r);
    remove_folder();
}

/* A child that begins takes much at once, for which there was room. */
static void what_is_expected_is_no_rate(void **state)
{
    (void)state;
    static const uint64_t ms = 1000000;
    struct row row = {.files = {{"proc/self/cgroup", "0::/a\n"},
                                {"proc/self/mountinfo", V2_MOUNT},
                                {"v2/a/memory.max", GB1 "\n"},
                                {"v2/a/memory.current", MB256 "\n"}}};
    struct headroom r;
    uint64_t now;

    open_row(&r, &row);
    now = r.looked_ns;
    headroom_expect(&r, (uint64_t)40 * MB);
    set_used(256 + 30);
    headroom_look(&r, now += 10 * ms);
    assert_null(headroom_lacks(&r, 0, 1000 * ms));
    set_used(256 + 50); /* 10 MB of these 20 were expected: 1 MB a millisecond; 718 - 64 are left */
    headroom_look(&r, now += 10 * ms);
    assert_null(headroom_lacks(&r, 0, 650 * ms));
    assert_non_null(headroom_lacks(&r, 0, 660 * ms));
    headroom_close(&r);
    remove_folder();
}

static void a_machine_without_memory_is_called_so(void **state)
{
    (void)state;
    struct row row = {
        .files = {{"proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 60000 kB\n"}}};
    struct headroom r;

    open_row(&r, &row);
    assert_string_equal(
        headroom_lacks(&r, 0, 0),
        "the machine has 58 MB of 8192 MB left, and 64 MB are needed (64 MB of them "
        "stay free)");
    assert_null(headroom_ends(&r, 0));
    headroom_close(&r);
    headroom_close(&r); /* harmless */
    remove_folder();
}

static void groups_are_asked_apart_from_the_machine(void **state)
{
    (void)state;
    struct row machine = {
        .files = {{"proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 1 kB\n"}}};
    struct row group = {.files = {{"proc/meminfo", PLENTY},
                                  {"proc/self/cgroup", "0::/a\n"},
                                  {"proc/self/mountinfo", V2_MOUNT},
                                  {"v2/a/memory.max", MB256 "\n"},
                                  {"v2/a/memory.current", MB100 "\n"}}};
    struct headroom r;

    open_row(&r, &machine);
    assert_true(headroom_group_left(&r) == UINT64_MAX);
    assert_null(headroom_group_lacks(&r, (uint64_t)1 << 40));
    assert_int_equal(headroom_share(&r), 64 * MB);
    headroom_close(&r);
    remove_folder();

    open_row(&r, &group);
    assert_int_equal(headroom_group_left(&r), 156 * MB);
    assert_int_equal(headroom_share(&r), 16 * MB);
    assert_null(headroom_group_lacks(&r, 140 * MB));
    assert_string_equal(headroom_group_lacks(&r, 140 * MB + 1),
                        "the memory cgroup has 156 MB of 256 MB left, and 157 MB are needed (16 MB "
                        "of them stay free)");
    headroom_close(&r);
    remove_folder();
}

/* 100 MB are left, 90 of them in the page cache, of which 80 wait for the disk. */
static void pages_that_wait_for_the_disk_are_no_room_for_who_stops_at_once(void **state)
{
    (void)state;
    static const struct row row = {
        "unwritten pages",
        0,
        {{"proc/self/cgroup", "0::/a\n"},
         {"proc/self/mountinfo", V2_MOUNT},
         {"v2/a/memory.max", GB1 "\n"},
         {"v2/a/memory.current", "1063256064\n"},
         {"v2/a/memory.stat",
          "anon 1\nfile_dirty 62914560\nfile_writeback 20971520\ninactive_file 94371840\n"}}};
    struct headroom r;
    open_row(&r, &row);
    assert_int_equal(least(&r) / MB, 100);
    assert_null(headroom_lacks(&r, 20 * MB, 0));
    assert_null(headroom_ends(&r, 3 * MB));
    assert_non_null(headroom_ends(&r, 5 * MB));
    headroom_close(&r);
    remove_folder();
}

/* ---- how full the fullest group is */

static const struct {
    const char *what;
    uint64_t used, limit; /* in MB; 0: no group has a limit */
    struct file files[FILES];
} levels[] = {
    {"no groups", 0, 0, {{"proc/meminfo", PLENTY}}},
    {"version 2: the inactive page cache is not in use, the active one is",
     412,
     1024,
     {{"proc/self/cgroup", "0::/a\n"},
      {"proc/self/mountinfo", V2_MOUNT},
      {"v2/a/memory.max", GB1 "\n"},
      {"v2/a/memory.current", MB512 "\n"},
      {"v2/a/memory.stat", "active_file " MB100 "\ninactive_file " MB100 "\n"}}},
    {"version 1: the page cache of all groups below",
     668,
     1024,
     {{"proc/self/cgroup", "4:memory:/a\n"},
      {"proc/self/mountinfo", V1_MOUNT},
      {"v1/a/memory.limit_in_bytes", GB1 "\n"},
      {"v1/a/memory.usage_in_bytes", MB768 "\n"},
      {"v1/a/memory.stat", "inactive_file 1\ntotal_inactive_file " MB100 "\n"}}},
    {"the fullest of nested groups, though it is not the smallest",
     768,
     1024,
     {{"proc/self/cgroup", "0::/a/b\n"},
      {"proc/self/mountinfo", V2_MOUNT},
      {"v2/a/b/memory.max", MB512 "\n"},
      {"v2/a/b/memory.current", MB256 "\n"},
      {"v2/a/memory.max", GB1 "\n"},
      {"v2/a/memory.current", MB768 "\n"}}},
    {"a group without a limit below one that has it",
     256,
     1024,
     {{"proc/self/cgroup", "0::/a/b\n"},
      {"proc/self/mountinfo", V2_MOUNT},
      {"v2/a/b/memory.max", "max\n"},
      {"v2/a/b/memory.current", MB256 "\n"},
      {"v2/a/memory.max", GB1 "\n"},
      {"v2/a/memory.current", MB256 "\n"}}},
    {"more page cache than there is in use",
     0,
     1024,
     {{"proc/self/cgroup", "0::/a\n"},
      {"proc/self/mountinfo", V2_MOUNT},
      {"v2/a/memory.max", GB1 "\n"},
      {"v2/a/memory.current", MB256 "\n"},
      {"v2/a/memory.stat", "inactive_file " MB512 "\n"}}},
    {"numbers that are none",
     0,
     0,
     {{"proc/self/cgroup", "0::/a/b\n"},
      {"proc/self/mountinfo", V2_MOUNT},
      {"v2/a/memory.max", "0\n"},
      {"v2/a/memory.current", "1\n"},
      {"v2/a/b/memory.max", MB512 "\n"},
      {"v2/memory.max", ""},
      {"v2/memory.current", "1\n"}}},
};

static void the_fullest_group_is_found_by_its_working_set(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
        struct row row = {.what = levels[i].what};
        struct headroom_level level = {0};
        struct headroom r;
        memcpy(row.files, levels[i].files, sizeof(row.files));
        open_row(&r, &row);
        bool has_one = headroom_fullest(&r, &level), has_group = headroom_has_group(&r);
        headroom_close(&r);
        remove_folder();
        if (has_one != (levels[i].limit != 0) || level.used / MB != levels[i].used ||
            (has_one && level.limit / MB != levels[i].limit) || has_group != (i != 0))
            fail_msg("%s: %llu of %llu MB", levels[i].what, (unsigned long long)level.used / MB,
                     (unsigned long long)level.limit / MB);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_that_wait_for_the_disk_are_no_room_for_who_stops_at_once),
        cmocka_unit_test(each_row_has_the_room_that_its_limits_leave),
        cmocka_unit_test(a_mount_with_very_many_words_hides_no_other),
        cmocka_unit_test(very_deep_groups_are_looked_at_as_far_as_there_is_room),
        cmocka_unit_test(what_was_taken_lately_has_to_be_there_again),
        cmocka_unit_test(what_is_expected_is_no_rate),
        cmocka_unit_test(a_machine_without_memory_is_called_so),
        cmocka_unit_test(groups_are_asked_apart_from_the_machine),
        cmocka_unit_test(the_fullest_group_is_found_by_its_working_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
