/* SPDX-License-Identifier: MIT
 *
 * force.h - make one pattern happen that was written down, or say why not.
 *
 * DESIGN
 *   A few profile runs tell which of the program's sites the pattern's can be, and which instances of its family are
 *   predicted.  Those that fit are tried one after the other, each in all the director's ways; if none is predicted, the
 *   pattern is tried as it stands.  It has happened when the observer saw a fitting instance.  A pattern without a family, or
 *   one that says more than an instance can (occurrence, context, a window of its own), is looked for in the events of each
 *   run (pattern/match.h); only where that takes too long the program's own account of a directed run is believed.
 */
#ifndef RADDLE_TECHNIQUE_FORCE_H
#define RADDLE_TECHNIQUE_FORCE_H

#include "technique/technique.h"

/* The rows of the table of families that have to be observed for the pattern; 0: error. */
family_mask force_families(const char *text, struct error *error);

#endif
