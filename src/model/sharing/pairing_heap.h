/* A pairing heap over the elements of an array, by their numbers: a template, included once for
 * each kind of element, with
 *
 *     PAIRING_NAME(verb)   the name of a function
 *     PAIRING_ITEM         the element: a structure with `child` (the first), `sibling` (the next),
 *                          and `back` (the one before, or the parent of a first child)
 *     PAIRING_KEY          its member by which it is ordered, smallest first
 *
 * A heap is the number of its root, or TRAFFIC_NONE; functions that change it return the new root.
 * Internal to src/model. */

static inline uint32_t PAIRING_NAME(meld)(PAIRING_ITEM *items, uint32_t left, uint32_t right)
{
    if (left == TRAFFIC_NONE)
        return right;
    if (right == TRAFFIC_NONE)
        return left;
    if (items[right].PAIRING_KEY < items[left].PAIRING_KEY) {
        uint32_t other = left;

        left = right;
        right = other;
    }
    items[right].sibling = items[left].child;
    if (items[left].child != TRAFFIC_NONE)
        items[items[left].child].back = right;
    items[right].back = left;
    items[left].child = right;
    return left;
}

/* Merge a list of siblings into one heap: pairwise from the front, then all from the back. */
static inline uint32_t PAIRING_NAME(meld_siblings)(PAIRING_ITEM *items, uint32_t first)
{
    uint32_t pairs = TRAFFIC_NONE, whole = TRAFFIC_NONE;

    while (first != TRAFFIC_NONE) {
        uint32_t second = items[first].sibling;
        uint32_t rest = second != TRAFFIC_NONE ? items[second].sibling : TRAFFIC_NONE;
        uint32_t pair;

        items[first].sibling = TRAFFIC_NONE;
        if (second != TRAFFIC_NONE)
            items[second].sibling = TRAFFIC_NONE;
        pair = PAIRING_NAME(meld)(items, first, second);
        items[pair].sibling = pairs;
        pairs = pair;
        first = rest;
    }
    while (pairs != TRAFFIC_NONE) {
        uint32_t rest = items[pairs].sibling;

        items[pairs].sibling = TRAFFIC_NONE;
        whole = PAIRING_NAME(meld)(items, whole, pairs);
        pairs = rest;
    }
    if (whole != TRAFFIC_NONE)
        items[whole].back = TRAFFIC_NONE;
    return whole;
}

static inline uint32_t PAIRING_NAME(insert)(PAIRING_ITEM *items, uint32_t root, uint32_t item)
{
    items[item].child = items[item].sibling = items[item].back = TRAFFIC_NONE;
    return PAIRING_NAME(meld)(items, root, item);
}

/* Cut an element that is not the root, with its subtree, from its parent. */
static inline void PAIRING_NAME(cut)(PAIRING_ITEM *items, uint32_t item)
{
    const PAIRING_ITEM *cut = &items[item];

    if (items[cut->back].child == item)
        items[cut->back].child = cut->sibling;
    else
        items[cut->back].sibling = cut->sibling;
    if (cut->sibling != TRAFFIC_NONE)
        items[cut->sibling].back = cut->back;
}

static inline uint32_t PAIRING_NAME(remove)(PAIRING_ITEM *items, uint32_t root, uint32_t item)
{
    uint32_t below = PAIRING_NAME(meld_siblings)(items, items[item].child);

    if (root == item)
        return below;
    PAIRING_NAME(cut)(items, item);
    return PAIRING_NAME(meld)(items, root, below);
}
