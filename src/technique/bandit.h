/* SPDX-License-Identifier: MIT
 *
 * bandit.h - which of several kinds of runs gets the next turn, by what each has gained so far.
 *
 * DESIGN
 *   An arm is one kind of run.  Each reward counts towards two estimates: the mean of all rewards, with a prior that stands for
 *   what was believed before the first one; and the recent gain, an average that forgets, since every kind runs out of new
 *   things at its own time.
 */
#ifndef RADDLE_TECHNIQUE_BANDIT_H
#define RADDLE_TECHNIQUE_BANDIT_H

#include <stdint.h>

struct bandit_arm { /* all zero is the beginning */
    uint64_t tried;
    double won;  /* the sum of all rewards */
    double gain; /* recent reward per try */
};

/* `forgetting`: from 0 to 1, the part of the gain that one new reward replaces. */
void bandit_reward(struct bandit_arm *arm, double reward, double forgetting);
/* The mean reward, as if `prior_won` had been won in `prior_tried` tries before. */
double bandit_mean(const struct bandit_arm *arm, double prior_won, double prior_tried);

/* UCB1 over recent gains (P. Auer, N. Cesa-Bianchi, P. Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem", Machine
   Learning 2002).  `allowed`: a bit for each of the `count` arms, at most 64, not all 0.  Gains below `least` are all the same.  The first of equals. */
unsigned bandit_choose(const struct bandit_arm *arms, unsigned count, uint64_t allowed, double least);

#endif
