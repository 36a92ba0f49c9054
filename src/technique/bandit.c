/* SPDX-License-Identifier: MIT
 *
 * bandit.c - see bandit.h.
 */
#include "technique/bandit.h"

#include <assert.h>
#include <math.h>

void bandit_reward(struct bandit_arm *arm, double reward, double forgetting)
{
    assert(reward >= 0 && forgetting >= 0 && forgetting <= 1);
    arm->tried++;
    arm->won += reward;
    arm->gain = arm->gain * (1 - forgetting) + reward * forgetting;
}

double bandit_mean(const struct bandit_arm *arm, double prior_won, double prior_tried)
{
    assert(prior_tried > 0 || arm->tried > 0);
    return (arm->won + prior_won) / ((double)arm->tried + prior_tried);
}

unsigned bandit_choose(const struct bandit_arm *arms, unsigned count, uint64_t allowed, double least)
{
    assert(count > 0 && count <= 64 && least > 0);
    double most = least, total = 0, best = -1;
    unsigned chosen = 0;
    for (unsigned i = 0; i < count; i++) {
        total += (double)arms[i].tried;
        most = arms[i].gain > most ? arms[i].gain : most;
    }
    for (unsigned i = 0; i < count; i++) {
        double score = arms[i].gain / most + sqrt(2 * log(total + 1) / (double)(arms[i].tried + 1));
        if ((allowed >> i & 1) && score > best) {
            best = score;
            chosen = i;
        }
    }
    assert(allowed >> chosen & 1);
    return chosen;
}
