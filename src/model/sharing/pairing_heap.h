/* A pairing heap over the elements of an array, by their numbers: a template, included once for
 * each kind of element, with
 *
 *     PAIRING_NAME(verb)   the name of a function
 *     PAIRING_ITEM         the element: a structure with `child` (the first), `sibling` (the next),
 *                          and `back` (the one before, or the parent of a first child)
 *     PAIRING_KEY          its member by which it is ordered, smallest first
 *
 * A heap is the number of its root, or ENGINE_NONE; functions that change it return the new root.
 * Internal to src/model. */

static inline uint32_t PAIRING_NAME(meld)(PAIRING_ITEM *items, uint32_t left, uint32_t right)
{
    if (left == ENGINE_NONE)
        return right;
    if (right == ENGINE_NONE)
        return left;
    if (items[right].PAIRING_KEY < items[left].PAIRING_KEY) {
        uint32_t other = left;

        left = right;
        right = other;
    }
    items[right].sibling = items[left].child;
    if (items[left].child != ENGINE_NONE)
        items[items[left].child].back = right;
    items[right].back = left;
    items[left].child = right;
    return left;
}

/* One heap of the heaps in a list of siblings: in pairs from the front, then all from the back. */
static inline uint32_t PAIRING_NAME(meld_siblings)(PAIRING_ITEM *items, uint32_t first)
{
    uint32_t pairs = ENGINE_NONE, whole = ENGINE_NONE;

    while (first != ENGINE_NONE) {
        uint32_t second = items[first].sibling;
        uint32_t rest = second != ENGINE_NONE ? items[second].sibling : ENGINE_NONE;
        uint32_t pair;

        items[first].sibling = ENGINE_NONE;
        if (second != ENGINE_NONE)
            items[second].sibling = ENGINE_NONE;
        pair = PAIRING_NAME(meld)(items, first, second);
        items[pair].sibling = pairs;
        pairs = pair;
        first = rest;
    }
    while (pairs != ENGINE_NONE) {
        uint32_t rest = items[pairs].sibling;

        items[pairs].sibling = ENGINE_NONE;
        whole = PAIRING_NAME(meld)(items, whole, pairs);
        pairs = rest;
    }
    if (whole != ENGINE_NONE)
        items[whole].back = ENGINE_NONE;
    return whole;
}

static inline uint32_t PAIRING_NAME(insert)(PAIRING_ITEM *items, uint32_t root, uint32_t item)
{
    items[item].child = items[item].sibling = items[item].back = ENGINE_NONE;
    return PAIRING_NAME(meld)(items, root, item);
}

/* An element that is not the root leaves its parent, with all that is below it. */
static inline void PAIRING_NAME(cut)(PAIRING_ITEM *items, uint32_t item)
{
    const PAIRING_ITEM *cut = &items[item];

    if (items[cut->back].child == item)
        items[cut->back].child = cut->sibling;
    else
        items[cut->back].sibling = cut->sibling;
    if (cut->sibling != ENGINE_NONE)
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
