/* options_scope.c - see options_scope.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_scope.h"

int options_scope_idle(const struct options *o, struct options_scope *ret)
{
    int samples = o->cpu_samples, times = o->cpu_table != OPTIONS_NO_TABLE;
    int sites = o->heap_sites, dump = o->heap_dump;
    const struct {
        int is_given, acts; /* given: with another value than it has anyway */
        struct options_scope scope;
    } rows[OPTIONS_SCOPE_MAX] = {
        {o->engine[0] != 0, samples, {"engine", "cpu=samples"}},
        {o->signal[0] != 0, samples, {"signal", "cpu=samples"}},
        {o->walker[0] != 0, samples, {"walker", "cpu=samples"}},
        {o->native, samples, {"native", "cpu=samples"}},
        {o->kernel, samples, {"kernel", "cpu=samples"}},
        {o->clock[0] != 0, times, {"clock", "cpu=times"}},
        {o->include[0] != 0, times, {"include", "cpu=times"}},
        {o->exclude[0] != 0, times, {"exclude", "cpu=times"}},
        {o->intrinsics, times, {"intrinsics", "cpu=times"}},
        {o->raw, times, {"raw", "cpu=times"}},
        {o->sample_bytes != 0, sites || dump, {"sample", "heap=sites"}},
        {!o->gc, sites, {"gc", "heap=sites"}},
        {o->idsize != 0, dump, {"idsize", "heap=dump"}},
        {!o->sites, dump, {"sites", "heap=dump"}},
        {!o->live, dump || sites, {"live", "heap=dump"}},
        {!o->fork, dump, {"fork", "heap=dump"}},
        {o->fork_bytes != 0, dump, {"forkmem", "heap=dump"}},
    };
    int count = 0;

    for (int i = 0; i < OPTIONS_SCOPE_MAX && !o->verify[0]; i++)
        if (rows[i].is_given && !rows[i].acts)
            ret[count++] = rows[i].scope;
    return count;
}
