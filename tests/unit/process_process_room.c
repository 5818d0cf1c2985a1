/*
 * How much memory and CPU time control groups leave to a process: version 1, version 2, limits on
 * several levels. "@" in a text is the folder of all.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/process_room.h"
#include "cmocka_all.h"
#include "testfile.h"
#include <stdio.h>
#include <stdlib.h>

enum { FILES = 12 };

#define V1_MOUNT "35 31 0:32 / @/v1 rw,relatime shared:9 - cgroup cgroup rw,memory\n"
#define V2_MOUNT "41 31 0:38 / @/v2 rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n"

struct file {
    const char *name, *text;
};

static const struct row {
    struct file files[FILES];
    struct process_room expected;
} rows[] = {
    {{{"7/cgroup", "0::/app\n"}, {"self/mountinfo", ""}},
     {.limit_bytes = UINT64_MAX, .available_bytes = UINT64_MAX, .has_cpus = true}},
    /* the root group of version 2 has no files of memory */
    {{{"7/cgroup", "0::/\n"}, {"self/mountinfo", V2_MOUNT}},
     {.limit_bytes = UINT64_MAX, .available_bytes = UINT64_MAX, .has_cpus = true}},
    {{{"7/cgroup", "0::/app\n"},
      {"self/mountinfo", V2_MOUNT},
      {"v2/app/memory.current", "5000\n"},
      {"v2/app/memory.max", "max\n"},
      {"v2/app/memory.stat", "anon 1\ninactive_file 1200\nactive_file 300\n"}},
     {.has_memory = true,
      .usage_bytes = 5000,
      .working_set_bytes = 3800,
      .limit_bytes = UINT64_MAX,
      .available_bytes = UINT64_MAX,
      .has_cpus = true}},
    /* the group above leaves less */
    {{{"7/cgroup", "0::/a/b\n"},
      {"self/mountinfo", V2_MOUNT},
      {"v2/a/b/memory.current", "5000\n"},
      {"v2/a/b/memory.max", "9000\n"},
      {"v2/a/b/memory.stat", "inactive_file 1000\n"},
      {"v2/a/b/cpu.max", "max 100000\n"},
      {"v2/a/memory.current", "9500\n"},
      {"v2/a/memory.max", "10000\n"},
      {"v2/a/cpu.max", "150000 100000\n"}},
     {.has_memory = true,
      .usage_bytes = 5000,
      .working_set_bytes = 4000,
      .limit_bytes = 10000,
      .available_bytes = 500,
      .has_cpus = true,
      .cpu_quota = 1.5}},
    /* more is used than the limit permits, as after the limit was lowered */
    {{{"7/cgroup", "0::/a\n"},
      {"self/mountinfo", V2_MOUNT},
      {"v2/a/memory.current", "5000\n"},
      {"v2/a/memory.max", "4000\n"}},
     {.has_memory = true,
      .usage_bytes = 5000,
      .working_set_bytes = 5000,
      .limit_bytes = 4000,
      .available_bytes = 0,
      .has_cpus = true}},
    {{{"7/cgroup", "9:cpu,cpuacct:/\n8:memory:/docker/x\n0::/\n"},
      {"self/mountinfo", V1_MOUNT},
      {"v1/docker/x/memory.usage_in_bytes", "7000\n"},
      {"v1/docker/x/memory.limit_in_bytes", "8000\n"},
      {"v1/docker/x/memory.stat", "inactive_file 1\ntotal_inactive_file 2000\n"},
      {"v1/memory.limit_in_bytes", "9223372036854771712\n"},
      {"v1/memory.usage_in_bytes", "99000\n"}},
     {.has_memory = true,
      .usage_bytes = 7000,
      .working_set_bytes = 5000,
      .limit_bytes = 8000,
      .available_bytes = 3000,
      .has_cpus = true}},
    /* a quota of version 1 is not read, so the number of processors is not known */
    {{{"7/cgroup", "9:cpu,cpuacct:/docker/x\n"}, {"self/mountinfo", V1_MOUNT}},
     {.limit_bytes = UINT64_MAX, .available_bytes = UINT64_MAX}},
    /* there is no such process */
    {{{"self/mountinfo", V2_MOUNT}}, {.limit_bytes = UINT64_MAX, .available_bytes = UINT64_MAX}},
};

static char top[64];

static void groups_say_what_is_left(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct process_room room;
        snprintf(top, sizeof(top), "/tmp/hprof-room.XXXXXX");
        assert_non_null(mkdtemp(top));
        for (int n = 0; n < FILES && rows[i].files[n].name; n++)
            testfile_put(top, rows[i].files[n].name, rows[i].files[n].text);
        process_room_read_in(top, 7, &room);
        testfile_remove_folder(top);
        const struct process_room *e = &rows[i].expected;
        assert_int_equal(room.has_memory, e->has_memory);
        assert_int_equal(room.usage_bytes, e->usage_bytes);
        assert_int_equal(room.working_set_bytes, e->working_set_bytes);
        assert_true(room.limit_bytes == e->limit_bytes);
        assert_true(room.available_bytes == e->available_bytes);
        assert_int_equal(room.has_cpus, e->has_cpus);
        assert_true(room.cpu_quota == e->cpu_quota);
    }
}

static void quotas_are_read(void **state)
{
    (void)state;
    assert_true(process_room_quota("200000 100000\n") == 2);
    assert_true(process_room_quota("50000 100000\n") == 0.5);
    assert_true(process_room_quota("max 100000\n") == 0);
    assert_true(process_room_quota("100000 0\n") == 0);
    assert_true(process_room_quota("100000") == 0);
    assert_true(process_room_quota("") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_say_what_is_left),
        cmocka_unit_test(quotas_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
