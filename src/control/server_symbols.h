/* SPDX-License-Identifier: MIT
 *
 * server_symbols.h - symbols of what is loaded in a server.
 */
#ifndef RADDLE_CONTROL_SERVER_SYMBOLS_H
#define RADDLE_CONTROL_SERVER_SYMBOLS_H

#include "control/server.h"
#include "trace/atomic_sets.h"
#include "trace/symbols.h"
#include "wire/wire_check.h"

struct shared_symbols;

/* All zero to begin with. */
struct server_symbols {
    struct wire_modules modules;
    struct shared_symbols *shared; /* with other servers that have loaded the same; NULL: not opened yet */
    struct symbols *symbols;       /* of these modules */
};

/* Opened at the first call, and again when the loaded modules have changed. */
struct symbols *server_symbols_get(struct server_symbols *cache, const struct server *server);
/* What is assumed about the units of work and atomic sets of the modules that are open, read at the first call.  `assumptions` must be the same
   each time, and stay valid. */
struct atomic_sets *server_symbols_sets(const struct server_symbols *cache, const struct assumptions *assumptions);
void server_symbols_close(struct server_symbols *cache);

#endif
