/*
 * list_types.cpp - lists the types of events of a JFR recording and their fields, with libhprofjfr.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <hprof_jfr.h>
#include <cstdio>
#include <map>
#include <string>

int main(int argc, char **argv)
{
    hprof_jfr_options options = {};
    options.size = sizeof(options);
    options.no_constants = true;
    hprof_jfr_error error;
    hprof_jfr *jfr = argc > 1 ? hprof_jfr_open_file(argv[1], &options, &error) : nullptr;
    std::map<std::string, std::string> types;
    int code = HPROF_JFR_ARGUMENT;
    while (jfr && (code = hprof_jfr_next_chunk(jfr)) == HPROF_JFR_CHUNK)
        for (size_t i = 0; i < hprof_jfr_type_count(jfr); i++) {
            const hprof_jfr_type *type = hprof_jfr_type_at(jfr, i);
            std::string &fields = types[hprof_jfr_type_name(type)] = "";
            for (size_t k = 0; k < hprof_jfr_type_field_count(type); k++) {
                const hprof_jfr_field *field = hprof_jfr_type_field(type, k);
                fields += std::string(" ") + hprof_jfr_field_name(field);
                fields += hprof_jfr_field_is_array(field) ? "[]" : "";
            }
        }
    if (code < 0)
        std::fprintf(stderr, "%s\n", hprof_jfr_strerror(code));
    hprof_jfr_close(jfr);
    for (const auto &type : types)
        std::printf("%s:%s\n", type.first.c_str(), type.second.c_str());
    return code < 0;
}
