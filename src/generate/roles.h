/* SPDX-License-Identifier: MIT
 *
 * roles.h - what the functions of an API are for, by their types and names; and which values their parameters may have.
 */
#ifndef RADDLE_GENERATE_ROLES_H
#define RADDLE_GENERATE_ROLES_H

#include "generate/api.h"

/* Fills in roles and values of an API that was read. */
void roles_assign(struct api *api);
/* A constructor of the record whose own parameters need no further objects; API_NONE. */
uint32_t roles_constructor(const struct api *api, uint32_t record);
uint32_t roles_destructor(const struct api *api, uint32_t record);
/* There is a constructor, and a call. */
bool roles_is_subject(const struct api *api, uint32_t record);
/* A pointer parameter that the function writes through. */
bool roles_is_out(const struct api_param *param);
/* One of the words of the name, between underscores or capitals, is one of the words of the list "init new". */
bool roles_has_word(const char *name, const char *list);

/* values.c: the values of all parameters that have none yet. */
void values_assign(struct api *api);
/* Adds the whole numbers of a source text to the values of its integers, before the largest ones. */
void values_add_constants(struct api *api, const char *source);

#endif
