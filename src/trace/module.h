/* SPDX-License-Identifier: MIT
 *
 * module.h - one loaded object of the program under test: its ELF file, symbols and debug information.  Internal to
 * symbols.c and variable.c; all addresses here are relative to the load bias, as in the file.
 */
#ifndef RADDLE_TRACE_MODULE_H
#define RADDLE_TRACE_MODULE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "trace/scopes.h"
#include "util/vector.h"
#include "wire/wire.h"

struct module_segment { /* PT_LOAD */
    uint64_t lo, hi;
};

struct module_symbol { /* function or object of the ELF symbol table */
    uint64_t address, size;
    const char *name; /* in the file's string table, or decorated and owned by the module */
    bool local;
};

struct module_unit { /* a range of code of one compilation unit */
    uint64_t lo, hi;
    Dwarf_Die die;      /* has the lines and the compilation directory */
    Dwarf_Die contents; /* has the functions: another one with split debug information */
    bool own;           /* raddle's runtime */
};

struct module_file { /* an opened ELF file */
    int fd;
    Elf *elf;
};

enum { MODULE_BUILD_ID = 64 };

/* What debug information it is: equal ones have the same content. */
struct module_identity {
    uint64_t debug_size;    /* of the section with the entries */
    uint32_t build_id_size; /* 0: it has none */
    uint8_t build_id[MODULE_BUILD_ID];
    uint32_t reserved;
};

struct module {
    char *path, *name;
    uint64_t base, code_lo, code_hi; /* as loaded: the only members that are not relative */
    bool instrumented;

    struct module_file file, debug_file;
    struct timespec modified;
    Dwarf *dwarf; /* NULL: none */
    struct module_identity identity;
    bool has_tls, has_interpreter;
    uint64_t tls_start, tls_size, tls_align;
    VECTOR(struct module_segment) segments;
    struct module_segment all; /* from the first to the last of them */

    bool units_read, symbols_read;
    VECTOR(struct module_unit) units;       /* sorted */
    VECTOR(struct module_symbol) functions; /* sorted */
    VECTOR(struct module_symbol) objects;   /* sorted */
    VECTOR(char *) texts;
    struct scopes scopes;
};

/* Opens the file if it exists; a module without a file keeps its name and range. */
void module_open(struct module *module, const struct wire_module *wire);
void module_close(struct module *module);

bool module_has_code(const struct module *module, uint64_t address);    /* as loaded */
bool module_has_address(const struct module *module, uint64_t address); /* as loaded: code or data */

/* Relative addresses.  NULL if there is none. */
const struct module_unit *module_find_unit(struct module *module, uint64_t address);
const struct module_symbol *module_find_function(struct module *module, uint64_t address);
const struct module_symbol *module_find_object(struct module *module, uint64_t address);

#endif
