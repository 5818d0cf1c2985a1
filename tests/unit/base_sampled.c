/* base_sampled.c - what sampled blocks stand for. SPDX-License-Identifier: Apache-2.0 */
#include "base/sampled.h"
#include "base/expo.h"
#include "base/splitmix.h"
#include "cmocka_all.h"

static void a_block_stands_for_itself_if_each_was_a_sample(void **state)
{
    (void)state;
    for (uint64_t interval = 0; interval < 2; interval++) {
        struct sampled s = sampled_of(24, interval, 1, 0);
        assert_int_equal(s.bytes, 24);
        assert_int_equal(s.count, 1);
    }
}

static void a_large_block_stands_for_itself(void **state)
{
    (void)state;
    struct sampled s = sampled_of(100 << 20, 512 << 10, 1, 0);
    assert_int_equal(s.bytes, 100 << 20);
    assert_int_equal(s.count, 1);
}

/* Draw many blocks of one size as a sampler does, and add up what the samples stand for. */
static void sums_are_right_on_average(void **state)
{
    (void)state;
    enum { BLOCKS = 2000000, INTERVAL = 4096 };
    static const uint64_t sizes[] = {16, 1000, 4096, 6000};
    uint64_t random = 1;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        double p = expo_hit((double)sizes[i] / INTERVAL), bytes = 0, count = 0, samples = 0;
        for (int n = 0; n < BLOCKS; n++) {
            if (splitmix_fraction(splitmix_next(&random)) >= p)
                continue;
            struct sampled s = sampled_of(sizes[i], INTERVAL, splitmix_next(&random), 0);
            bytes += (double)s.bytes;
            count += (double)s.count;
            samples++;
        }
        double bound = 5 / expo_sqrt(samples);
        assert_true(bytes / ((double)sizes[i] * BLOCKS) > 1 - bound);
        assert_true(bytes / ((double)sizes[i] * BLOCKS) < 1 + bound);
        assert_true(count / BLOCKS > 1 - bound && count / BLOCKS < 1 + bound);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_stands_for_itself_if_each_was_a_sample),
        cmocka_unit_test(a_large_block_stands_for_itself),
        cmocka_unit_test(sums_are_right_on_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
