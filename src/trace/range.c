/* SPDX-License-Identifier: MIT
 *
 * range.c - see range.h.
 *
 * DESIGN
 *   A treap, after Seidel and Aragon, "Randomized Search Trees", 1996: a search tree that is a heap by random
 *   priorities is balanced with high probability.  Split and merge are all there is.  The priorities are hashes of a
 *   counter: nothing depends on the machine.
 */
#include "trace/range.h"

#include <assert.h>

#include "util/hash.h"

static uint32_t new_node(struct ranges *ranges, uint64_t lo, uint64_t hi, uint32_t owner)
{
    struct range node = {lo, hi, owner, (uint32_t)hash_mix(++ranges->made), 0, 0};
    if (ranges->nodes.count == 0)
        vector_push(&ranges->nodes, (struct range){0}); /* index 0 means: no node */
    if (ranges->spare.count > 0) {
        uint32_t index = ranges->spare.data[--ranges->spare.count];
        ranges->nodes.data[index] = node;
        return index;
    }
    vector_push(&ranges->nodes, node);
    return (uint32_t)(ranges->nodes.count - 1);
}

/* Splits into the ranges that begin before `key` and the others. */
static void split(struct range *nodes, uint32_t tree, uint64_t key, uint32_t *less, uint32_t *rest)
{
    while (tree != 0) {
        if (nodes[tree].lo < key) {
            *less = tree;
            less = &nodes[tree].right;
            tree = nodes[tree].right;
        } else {
            *rest = tree;
            rest = &nodes[tree].left;
            tree = nodes[tree].left;
        }
    }
    *less = *rest = 0;
}

/* All ranges of left are before all ranges of right. */
static uint32_t merge(struct range *nodes, uint32_t left, uint32_t right)
{
    uint32_t tree = 0, *link = &tree;
    while (left != 0 && right != 0) {
        if (nodes[left].priority >= nodes[right].priority) {
            *link = left;
            link = &nodes[left].right;
            left = *link;
        } else {
            *link = right;
            link = &nodes[right].left;
            right = *link;
        }
    }
    *link = left != 0 ? left : right;
    return tree;
}

/* Frees the nodes of a tree, without recursion: the tree may be large. */
static void drop_tree(struct ranges *ranges, uint32_t tree)
{
    VECTOR(uint32_t) pending = {0};
    if (tree != 0)
        vector_push(&pending, tree);
    while (pending.count > 0) {
        uint32_t index = pending.data[--pending.count];
        struct range node = ranges->nodes.data[index];
        if (node.left != 0)
            vector_push(&pending, node.left);
        if (node.right != 0)
            vector_push(&pending, node.right);
        vector_push(&ranges->spare, index);
    }
    vector_free(&pending);
}

static uint32_t last_of(const struct ranges *ranges, uint32_t tree)
{
    assert(tree == 0 || tree < ranges->nodes.count);
    while (tree != 0 && ranges->nodes.data[tree].right != 0)
        tree = ranges->nodes.data[tree].right;
    return tree;
}

void ranges_put(struct ranges *ranges, uint64_t lo, uint64_t hi, uint32_t owner)
{
    uint32_t before, inside, after;
    uint32_t made = new_node(ranges, lo, hi, owner);
    assert(made != 0 && made < ranges->nodes.count);
    split(ranges->nodes.data, ranges->root, lo, &before, &inside);
    split(ranges->nodes.data, inside, hi, &inside, &after);

    /* At most one range begins before lo and reaches into the new one, and one begins inside and reaches beyond it. */
    assert(before == 0 || ranges->nodes.data[before].lo < lo);
    uint32_t reaching = last_of(ranges, before);
    uint32_t beyond = last_of(ranges, inside);
    struct range rest = {0};
    if (beyond != 0 && ranges->nodes.data[beyond].hi > hi)
        rest = ranges->nodes.data[beyond];
    if (reaching != 0 && ranges->nodes.data[reaching].hi > lo) {
        if (ranges->nodes.data[reaching].hi > hi)
            rest = ranges->nodes.data[reaching];
        assert(ranges->nodes.data[reaching].lo < lo);
        ranges->nodes.data[reaching].hi = lo;
    }
    drop_tree(ranges, inside);
    if (rest.hi > hi) {
        uint32_t remainder = new_node(ranges, hi, rest.hi, rest.owner);
        after = merge(ranges->nodes.data, remainder, after);
    }
    ranges->root = merge(ranges->nodes.data, merge(ranges->nodes.data, before, made), after);
}

bool ranges_find(const struct ranges *ranges, uint64_t address, uint32_t *owner)
{
    assert(ranges->root == 0 || ranges->root < ranges->nodes.count);
    uint32_t tree = ranges->root;
    while (tree != 0) {
        assert(tree < ranges->nodes.count);
        const struct range *node = &ranges->nodes.data[tree];
        if (address < node->lo) {
            tree = node->left;
        } else if (address >= node->hi) {
            tree = node->right;
        } else {
            *owner = node->owner;
            return true;
        }
    }
    return false;
}

void ranges_free(struct ranges *ranges)
{
    vector_free(&ranges->nodes);
    vector_free(&ranges->spare);
    *ranges = (struct ranges){0};
}
