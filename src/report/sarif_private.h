/* SPDX-License-Identifier: MIT
 *
 * sarif_private.h - what the files that write SARIF share: sarif.c (log, run, results), sarif_flow.c (code flows and stacks),
 * sarif_place.c (locations and artifacts).
 */
#ifndef RADDLE_REPORT_SARIF_PRIVATE_H
#define RADDLE_REPORT_SARIF_PRIVATE_H

#include "report/model.h"
#include "util/json_writer.h"

#define SARIF_BASE "SRCROOT" /* base of relative references */

struct sarif_artifact {
    char *uri;
    bool based; /* relative to SARIF_BASE */
};

struct sarif {
    struct json_writer json;
    const struct report_program *program; /* of the run that is written */
    VECTOR(struct sarif_artifact) artifacts;
};

/* ---- sarif_place.c ------------------------------------------------------------------------------------------------------ */

/* A message object.  Braces are doubled and what looks like a link is broken, as the standard requires for plain text. */
void sarif_message(struct json_writer *json, const char *name, const char *text);
/* A location object: a place of the tale (TALE_NONE: unknown), and a message about it (NULL: none).  id < 0: none. */
void sarif_place(struct sarif *sarif, const char *name, const struct report_failure *failure, int32_t place,
                 const char *message, int id);
/* A location object for a site such as "bank.c:42". */
void sarif_site(struct sarif *sarif, const char *name, const char *site);
/* Writes the artifacts of all locations; frees them. */
void sarif_write_artifacts(struct sarif *sarif);

/* ---- sarif_flow.c ------------------------------------------------------------------------------------------------------- */

/* "codeFlows": one, with a threadFlow per thread that does something in it. */
void sarif_write_flow(struct sarif *sarif, const struct report_failure *failure);
void sarif_write_stacks(struct sarif *sarif, const struct report_failure *failure);

#endif
