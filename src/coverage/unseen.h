/* SPDX-License-Identifier: MIT
 *
 * unseen.h - how likely it is that the next run shows something that no run has shown yet.
 *
 * DESIGN
 *   A run is a sample of *several* kinds at once (all instances that it covers), so the classical Good–Turing estimate, the
 *   share of singletons among all that was seen (Good, "The population frequencies of species and the estimation of
 *   population parameters", Biometrika 1953), is about the next observed instance and not about the next run; the
 *   incidence-based forms of it (Chao and Colwell; Chao2) count kinds per run in the same way.  What people want to know is
 *   whether one more schedule is worth its time.  The argument behind Good–Turing answers it without a detour: leave one out.
 *   A run that has shown something which no other run has shown would have been a discovery had it come last; so
 *
 *       (runs that have shown something that no other run has) / (runs)
 *
 *   has exactly the expectation of "the last of n runs shows something new given the n - 1 others", if the order of the runs
 *   does not matter (Robbins, "Estimating the total probability of the unobserved outcomes of an experiment", Annals of
 *   Mathematical Statistics 1968; for testing: Böhme, "STADS: software testing as species discovery", TOSEM 2018).
 *
 *   Runs of a campaign are not quite alike: strategies take turns, and a strategy that aims at what is open, or goes
 *   through all schedules in order, is no random sample.  Then the number is what the past says, and no more.
 *
 *   Memory: one entry per run that has something of its own.
 */
#ifndef RADDLE_COVERAGE_UNSEEN_H
#define RADDLE_COVERAGE_UNSEEN_H

#include <stdbool.h>
#include <stdint.h>

#include "util/table.h"

enum { UNSEEN_RUNS = 100 }; /* fewer say nothing */

struct unseen { /* all zero is the beginning */
    uint64_t runs;
    uint64_t discoverers; /* runs that have shown something that no other run has */
    struct table own;     /* run → how much of it */
};

/* Another run; its number, from 1. */
uint64_t unseen_run(struct unseen *unseen);
/* The last run has shown something for the first time. */
void unseen_first(struct unseen *unseen);
/* What had been shown by the run `first` alone was shown by another one. */
void unseen_again(struct unseen *unseen, uint64_t first);
void unseen_free(struct unseen *unseen);

/* The chance that the next run shows something new; 1 without any run. */
double unseen_chance(const struct unseen *unseen);
/* Below the bound by more than chance explains: a campaign that looks at it after each run would otherwise end at a lucky
   moment.  Never with fewer than UNSEEN_RUNS. */
bool unseen_is_below(const struct unseen *unseen, double bound);

#endif
