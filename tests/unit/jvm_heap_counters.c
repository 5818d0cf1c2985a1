/*
 * jvm_heap_counters.c - what a VM collects for, of counters that were read while it collected.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "jvm/heap_counters.h"
#include "perfdata/perfdata.h"
#include <string.h>

enum { TEXT = 32 };

/* The cause by the two counters. NULL: the VM has no such counter. */
static void assert_cause(const char *now, const char *last, const char *expected)
{
    unsigned char bytes[2 * TEXT] = "";
    struct perfdata_row rows[2];
    struct perfdata p = {.bytes = bytes, .len = sizeof(bytes), .rows = rows};
    size_t len;
    const char *of[] = {now, last}, *names[] = {"sun.gc.cause", "sun.gc.lastCause"};
    for (uint32_t i = 0; i < 2; i++) {
        if (!of[i])
            continue;
        memcpy(bytes + (size_t)i * TEXT, of[i], strlen(of[i]));
        rows[p.count++] = (struct perfdata_row){
            .name = names[i], .at = i * TEXT, .len = TEXT, .size = 1, .is_supported = true};
    }
    const char *cause = heap_counters_cause(&p, &len);
    if (!expected) {
        assert_null(cause);
        return;
    }
    assert_non_null(cause);
    assert_int_equal(len, strlen(expected));
    assert_memory_equal(cause, expected, len);
}

static void test_the_cause_is_of_the_collection_under_way_or_of_the_last(void **state)
{
    (void)state;
    assert_cause("G1 Humongous Allocation", "No GC", "G1 Humongous Allocation");
    assert_cause("No GC", "System.gc()", "System.gc()");
    assert_cause("No GC", "No GC", "No GC"); /* the VM has not collected yet */
    assert_cause(NULL, "Allocation Failure", "Allocation Failure");
    assert_cause("No GC", NULL, NULL);
    assert_cause(NULL, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_cause_is_of_the_collection_under_way_or_of_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
