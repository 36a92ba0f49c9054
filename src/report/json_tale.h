/* SPDX-License-Identifier: MIT
 *
 * json_tale.h - a tale as part of a JSON report: with names, where tale.json has numbers.
 */
#ifndef RADDLE_REPORT_JSON_TALE_H
#define RADDLE_REPORT_JSON_TALE_H

#include "tale/tale.h"
#include "util/json_writer.h"

void json_tale(struct json_writer *json, const char *name, const struct tale *tale);
/* A list of names: "switch", "cause", … */
void json_marks(struct json_writer *json, const char *name, uint32_t marks);

#endif
