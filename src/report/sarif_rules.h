/* SPDX-License-Identifier: MIT
 *
 * sarif_rules.h - the kinds of failures and warnings as SARIF rules.
 */
#ifndef RADDLE_REPORT_SARIF_RULES_H
#define RADDLE_REPORT_SARIF_RULES_H

#include <stddef.h>

#include "util/json_writer.h"

/* The number of the rule for a kind such as "assert"; the last one is for kinds that this raddle does not know. */
size_t sarif_rule(const char *kind);
const char *sarif_rule_id(size_t rule);
/* All of them, as the tool's "rules". */
void sarif_write_rules(struct json_writer *json);

#endif
