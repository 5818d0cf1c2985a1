/* cli_jfr_printer.c - what the writers of events share. SPDX-License-Identifier: Apache-2.0 */
#include "jfrtool/jfr_printer.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/sink.h"
#include "cmocka_all.h"
#include "emulated.h"

enum { ROOM = 16 << 20 }; /* less than a printer wants for its texts, more than for the rest */

static void limit_memory(const struct rlimit *old)
{
    struct rlimit now = *old;
    char text[64];
    FILE *in = fopen("/proc/self/statm", "re");
    assert_non_null(in);
    assert_non_null(fgets(text, sizeof(text), in));
    fclose(in);
    now.rlim_cur = strtoul(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) + ROOM;
    assert_int_equal(setrlimit(RLIMIT_AS, &now), 0);
}

static void a_printer_that_found_no_memory_can_be_given_back(void **state)
{
    struct jfr_printer printer;
    struct sink sink;
    struct rlimit old;
    (void)state;
    not_emulated("it does not enforce RLIMIT_AS");
    assert_int_equal(sink_init(&sink, -1), 0);
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    limit_memory(&old);
    int r = jfr_printer_init(&printer, &sink, 1);
    assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
    assert_int_equal(r, -ENOMEM);
    jfr_printer_done(&printer);
    sink_done(&sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_printer_that_found_no_memory_can_be_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
