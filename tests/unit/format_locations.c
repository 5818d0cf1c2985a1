/* format_locations.c - frames of odd names in pprof and OTLP. SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include "cmocka_all.h"
#include "format/locations.h"
#include "profile/profile.h"
#include "writing.h"

/* As readers may leave it, of files of others: async-profiler has such classes. */
static void a_library_whose_name_is_empty_is_none(void **state)
{
    static const char *const formats[] = {"pprof", "otlp"};
    struct profile *p = profile_new(1 << 20);
    method_id method = profile_method(p, profile_class_named(p, profile_cstring(p, "")),
                                      profile_cstring(p, "clone3"), 0, 0);
    frame_id frame = profile_frame_of(p, FRAME_NATIVE, method, -1, PROFILE_LINE_NONE);
    struct event event = {.kind = KIND_SAMPLE, .value = {1}};
    struct locations l;
    (void)state;
    event.trace = profile_trace(p, 0, &frame, 1);
    assert_int_equal(profile_count(p, &event), 0);
    locations_init(&l, p);
    assert_int_equal(locations_of(&l, event.trace), 1);
    uint32_t mapping = wordset_at(&l.locations, (uint32_t)l.stack[0])->words[0];
    assert_string_equal(locations_string_at(&l, wordset_at(&l.mappings, mapping)->words[0])->bytes,
                        "[native]");
    locations_done(&l);
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        struct writing w = writing_of(formats[i], p, 1u << KIND_SAMPLE, KIND_SAMPLE, 0);
        assert_non_null(w.bytes);
        free(w.bytes);
    }
    profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_whose_name_is_empty_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
