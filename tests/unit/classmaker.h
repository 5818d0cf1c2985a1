/*
 * classmaker.h - small class files with one method, for tests.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The constants of every class made here; what an injection adds comes from CLASSMAKER_NEXT on. */
enum classmaker_constant {
    CLASSMAKER_THIS = 2,   /* class T */
    CLASSMAKER_SUPER = 4,  /* class java/lang/Object */
    CLASSMAKER_CODE = 5,   /* "Code" */
    CLASSMAKER_NAME = 6,   /* the method's name */
    CLASSMAKER_DESC = 7,   /* the method's descriptor */
    CLASSMAKER_FRAMES = 8, /* "StackMapTable" */
    CLASSMAKER_LINES = 9,
    CLASSMAKER_VARIABLES = 10,
    CLASSMAKER_TYPE_NOTES = 11,
    CLASSMAKER_NOTES = 12, /* "RuntimeVisibleAnnotations" */
    CLASSMAKER_NOTE = 13,  /* the type of an annotation */
    CLASSMAKER_NEXT = 14,
};

struct classmaker_part {
    const void *bytes;
    size_t len;
};

struct classmaker {
    uint16_t major, minor;
    const char *this_name, *super_name; /* NULL: T, java/lang/Object; super "": none */
    const char *name, *desc, *note;
    uint16_t access, max_stack, max_locals;
    struct classmaker_part code;       /* len 0: a method without Code */
    struct classmaker_part handlers;   /* exception table entries, 8 bytes each */
    struct classmaker_part attributes; /* of Code, with heads and lengths */
    uint16_t attribute_count;
    bool has_note;        /* the method is annotated with `note` */
    uint32_t more_consts; /* Integer constants behind the others */
};

/** Build it into `to`, which has room; its length. */
size_t classmaker_build(const struct classmaker *m, uint8_t *to);
