/*
 * base_perf_attr.c - the kernel's struct for each name. The numbers are those of
 * linux/perf_event.h, written out, so that a wrong row shows. SPDX-License-Identifier: Apache-2.0
 */
#include "base/perf_attr.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cmocka_all.h"

static const struct {
    const char *name, *shown;
    uint32_t type;
    uint64_t config, interval;
} rows[] = {
    {"cycles", "cycles", 0, 0, 1000000},
    {"cpu-cycles", "cycles", 0, 0, 1000000},
    {"instructions", "instructions", 0, 1, 1000000},
    {"cache-references", "cache-references", 0, 2, 1000000},
    {"cache-misses", "cache-misses", 0, 3, 1000},
    {"branches", "branches", 0, 4, 1000000},
    {"branch-instructions", "branches", 0, 4, 1000000},
    {"branch-misses", "branch-misses", 0, 5, 1000},
    {"bus-cycles", "bus-cycles", 0, 6, 1000000},
    {"stalled-cycles-frontend", "stalled-cycles-frontend", 0, 7, 1000000},
    {"stalled-cycles-backend", "stalled-cycles-backend", 0, 8, 1000000},
    {"ref-cycles", "ref-cycles", 0, 9, 1000000},
    {"page-faults", "page-faults", 1, 2, 1},
    {"faults", "page-faults", 1, 2, 1},
    {"context-switches", "context-switches", 1, 3, 1},
    {"cs", "context-switches", 1, 3, 1},
    {"cpu-migrations", "cpu-migrations", 1, 4, 1},
    {"minor-faults", "minor-faults", 1, 5, 1},
    {"major-faults", "major-faults", 1, 6, 1},
    {"alignment-faults", "alignment-faults", 1, 7, 1},
    {"emulation-faults", "emulation-faults", 1, 8, 1},
    {"L1-dcache-loads", "L1-dcache-loads", 3, 0x0, 1000000},
    {"L1-dcache-load-misses", "L1-dcache-load-misses", 3, 0x10000, 1000},
    {"L1-dcache-stores", "L1-dcache-stores", 3, 0x100, 1000000},
    {"L1-icache-load-misses", "L1-icache-load-misses", 3, 0x10001, 1000},
    {"LLC-loads", "LLC-loads", 3, 0x2, 1000000},
    {"LLC-load-misses", "LLC-load-misses", 3, 0x10002, 1000},
    {"LLC-store-misses", "LLC-store-misses", 3, 0x10102, 1000},
    {"LLC-prefetch-misses", "LLC-prefetch-misses", 3, 0x10202, 1000},
    {"dTLB-load-misses", "dTLB-load-misses", 3, 0x10003, 1000},
    {"iTLB-load-misses", "iTLB-load-misses", 3, 0x10004, 1000},
    {"branch-load-misses", "branch-load-misses", 3, 0x10005, 1000},
    {"node-loads", "node-loads", 3, 0x6, 1000000},
    {"r1a8", "r1a8", 4, 0x1a8, 1000},
    {"rffffffffffffffff", "rffffffffffffffff", 4, UINT64_MAX, 1000},
};

static void each_name_has_its_type_and_number(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct perf_attr e;
        assert_int_equal(perf_attr_named(rows[i].name, &e), 0);
        assert_string_equal(e.name, rows[i].shown);
        assert_int_equal(e.type, rows[i].type);
        assert_true(e.config == rows[i].config);
        assert_int_equal(e.interval, rows[i].interval);
    }
}

/* The bytes that the kernel gets, at the places of perf_event_open(2). */
static void the_bytes_are_those_of_the_kernels_struct(void **state)
{
    struct perf_event_attr attr;
    struct perf_attr e;
    unsigned char want[sizeof(attr)] = {0};
    (void)state;
    assert_int_equal(perf_attr_named("LLC-load-misses", &e), 0);
    perf_attr_fill(&e, 5000, false, &attr);
    want[0] = 3;                      /* type: PERF_TYPE_HW_CACHE */
    want[4] = sizeof(attr);           /* size */
    want[8] = 2, want[10] = 1;        /* config: LL, read, miss */
    want[16] = 0x88, want[17] = 0x13; /* sample_period: 5000 */
    want[24] = 1;                     /* sample_type: PERF_SAMPLE_IP */
    want[40] = 1 | 1 << 5 | 1 << 6;   /* disabled, exclude_kernel, exclude_hv */
    want[48] = 1;                     /* wakeup_events */
    assert_memory_equal(&attr, want, sizeof(attr));
    perf_attr_fill(&e, 5000, true, &attr);
    want[40] = 1 | 1 << 6;
    assert_memory_equal(&attr, want, sizeof(attr));
}

static void an_address_is_watched_for_its_accesses(void **state)
{
    static const struct {
        const char *name;
        uint64_t address;
        uint32_t length, access;
    } places[] = {
        {"mem:0x1000", 0x1000, 4, 3},      {"mem:0x1000:w", 0x1000, 4, 2},
        {"mem:0x1000/8:rw", 0x1000, 8, 3}, {"mem:4096/1:r", 4096, 1, 1},
        {"mem:0x1000:x", 0x1000, 8, 4},
    };
    struct perf_event_attr attr;
    struct perf_attr e;
    (void)state;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        assert_int_equal(perf_attr_named(places[i].name, &e), 0);
        perf_attr_fill(&e, 1, true, &attr);
        assert_int_equal(attr.type, 5);
        assert_true(attr.bp_addr == places[i].address);
        assert_int_equal(attr.bp_len, places[i].length);
        assert_int_equal(attr.bp_type, places[i].access);
    }
}

/* The kernel's number of the unit differs from machine to machine, and may be missing. */
static void a_function_of_the_kernel_is_named_by_its_text(void **state)
{
    static const struct {
        const char *name, *function;
        uint64_t config;
    } functions[] = {{"kprobe:tcp_sendmsg", "tcp_sendmsg", 0},
                     {"kretprobe:do_sys_openat2.isra.0", "do_sys_openat2.isra.0", 1}};
    unsigned long number = PERF_ATTR_NO_UNIT;
    FILE *file = fopen("/sys/bus/event_source/devices/kprobe/type", "re");
    (void)state;
    if (file) {
        char line[32] = "";
        assert_non_null(fgets(line, sizeof(line), file));
        number = strtoul(line, NULL, 10);
        fclose(file);
    }
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        struct perf_event_attr attr;
        struct perf_attr e;
        assert_int_equal(perf_attr_named(functions[i].name, &e), 0);
        assert_string_equal(e.name, functions[i].name);
        assert_true(e.is_in_kernel);
        assert_int_equal(e.interval, 1);
        perf_attr_fill(&e, 7, true, &attr);
        assert_true(attr.type == number);
        assert_true(attr.config == functions[i].config);
        assert_string_equal((const char *)(uintptr_t)attr.kprobe_func, functions[i].function);
        assert_int_equal(attr.probe_offset, 0);
        assert_int_equal(attr.sample_period, 7);
    }
}

static void a_function_of_a_library_is_a_breakpoint(void **state)
{
    struct perf_event_attr attr;
    struct perf_attr e;
    (void)state;
    assert_int_equal(perf_attr_named("uprobe:/lib/x.so:f", &e), 0);
    assert_string_equal(e.name + e.library, "/lib/x.so:f");
    assert_string_equal(e.name + e.symbol, "f");
    assert_int_equal(e.interval, 1);
    assert_false(e.is_in_kernel);
    e.address = 0x7000;
    perf_attr_fill(&e, 1, true, &attr);
    assert_int_equal(attr.type, 5);
    assert_true(attr.bp_addr == 0x7000);
    assert_int_equal(attr.bp_len, 8);
    assert_int_equal(attr.bp_type, 4);
}

static void a_kernel_without_probes_is_refused_in_words(void **state)
{
    struct perf_attr e;
    bool sees_kernel;
    char why[200] = "";
    (void)state;
    assert_int_equal(perf_attr_named("kprobe:tcp_sendmsg", &e), 0);
    e.type = PERF_ATTR_NO_UNIT;
    assert_true(perf_attr_probe(&e, &sees_kernel, why, sizeof(why)) < 0);
    assert_string_equal(why, "this kernel has no such probes (CONFIG_KPROBE_EVENTS)");
}

static void names_that_are_none_are_refused(void **state)
{
    static const char *const none[] = {"",
                                       "cycle",
                                       "r",
                                       "rxyz",
                                       "r11111111111111111",
                                       "L1-icache-stores",
                                       "LLC-",
                                       "iTLB-stores",
                                       "tims",
                                       "a:",
                                       ":b",
                                       "a b:c",
                                       "cpu-clock"};
    static const char *const wrong[] = {
        "mem:",        "mem:x",       "mem:0x1000/3", "mem:0x1000/16", "mem:0x1000:q",
        "mem:0x1000:", "mem:0x1000z", "kprobe:",      "kprobe:a+1",    "kretprobe:a/b",
        "uprobe:",     "uprobe:a",    "uprobe::f",    "uprobe:a:",     "uprobe:a:b:c"};
    struct perf_attr e;
    (void)state;
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_int_equal(perf_attr_named(none[i], &e), E_NOT_FOUND);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(perf_attr_named(wrong[i], &e), E_SYNTAX);
    assert_true(perf_attr_named("nosuchsystem:nosuchevent", &e) < 0);
}

static void words_are_names(void **state)
{
    struct perf_attr e;
    unsigned i = 0;
    (void)state;
    for (; perf_attr_word(i); i++) {
        assert_int_equal(perf_attr_named(perf_attr_word(i), &e), 0);
        assert_string_equal(e.name, perf_attr_word(i));
    }
    assert_int_equal(i, 17);
}

/* Only events that happen in the kernel may be hidden from a process without rights. */
static void what_happens_in_the_kernel_is_known(void **state)
{
    struct perf_attr e;
    (void)state;
    perf_attr_named("page-faults", &e);
    assert_false(e.is_in_kernel || e.is_switch);
    perf_attr_named("cpu-migrations", &e);
    assert_true(e.is_in_kernel && !e.is_switch);
    perf_attr_named("context-switches", &e);
    assert_true(e.is_in_kernel && e.is_switch);
    assert_int_equal(e.least, 1);
    perf_attr_named("r1", &e);
    assert_int_equal(e.least, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_name_has_its_type_and_number),
        cmocka_unit_test(the_bytes_are_those_of_the_kernels_struct),
        cmocka_unit_test(an_address_is_watched_for_its_accesses),
        cmocka_unit_test(a_function_of_the_kernel_is_named_by_its_text),
        cmocka_unit_test(a_function_of_a_library_is_a_breakpoint),
        cmocka_unit_test(a_kernel_without_probes_is_refused_in_words),
        cmocka_unit_test(names_that_are_none_are_refused),
        cmocka_unit_test(words_are_names),
        cmocka_unit_test(what_happens_in_the_kernel_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
