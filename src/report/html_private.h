/* SPDX-License-Identifier: MIT
 *
 * html_private.h - what the parts of the HTML report share.
 */
#ifndef RADDLE_REPORT_HTML_PRIVATE_H
#define RADDLE_REPORT_HTML_PRIVATE_H

#include "report/html.h"
#include "util/json.h"

/* Made from page.html, page.css and page*.js by tools/embed.sh. */
extern const char page_html[], page_css[], page_js[];
extern const char page_css_hash[], page_js_hash[]; /* "sha256-…" in the form that a content security policy needs */

/* html_json.c: into a <script type="application/json"> */

/* Adds the value as JSON, escaped for HTML.  Takes ownership of `json`. */
void html_add_json(struct buffer *page, json_t *json);
/* <script type="application/json" id="NAME-…"> and </script> */
void html_begin_data(struct buffer *page, const char *name, size_t program, size_t failure);
void html_end_data(struct buffer *page);

/* html_campaign.c */
json_t *html_campaign(const struct report_campaign *campaign);
json_t *html_past(const struct report_past *past);

/* html_tale.c: the whole tale, or only the events that matter */
void html_add_tale(struct buffer *page, const struct tale *tale, bool whole);

/* html_coverage.c: DIRECTORY/coverage.json, checked; NULL if there is none or it is damaged.  Then *problem, which the
   caller frees, says why. */
json_t *html_coverage(const char *directory, char **problem);

#endif
