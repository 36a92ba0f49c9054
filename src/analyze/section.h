/* SPDX-License-Identifier: MIT
 *
 * section.h - IR that is kept in objects, libraries and programs: the section .raddle_ir.
 *
 * The section is a list of records, one after another; the linker puts those of all objects together.  It is not loaded with the program.
 */
#ifndef RADDLE_ANALYZE_SECTION_H
#define RADDLE_ANALYZE_SECTION_H

#include <stdint.h>

#include "util/buffer.h"
#include "util/error.h"
#include "util/names.h"
#include "util/vector.h"

#define SECTION_NAME  ".raddle_ir"
#define SECTION_MAGIC "RADDLIR1"

struct section_header {
    char magic[8];
    uint64_t size;     /* of the bitcode; 0: there is none, and the reason stands in the name */
    uint32_t name;     /* of the name, with its end */
    uint32_t reserved; /* 0 */
    /* the name and the bitcode follow, and zeros up to a multiple of 8 */
};

struct section_record {
    char *name;
    void *bytes;
    size_t size;
};

struct section_records {
    VECTOR(struct section_record) all; /* with bitcode */
    struct names without;              /* names of those without, and why */
};

/* Appends a record to what will be the section. */
void section_add(struct buffer *section, const char *name, const void *bytes, size_t size);
/* Appends the records of a file.  False: it is no ELF file, has no such section, or the section is damaged. */
bool section_read(const char *path, struct section_records *records, struct error *error);
/* The same for bytes that are a section. */
bool section_parse(const char *path, const void *bytes, size_t size, struct section_records *records,
                   struct error *error);
void section_records_free(struct section_records *records);

#endif
