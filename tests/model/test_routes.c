/* Routes of the built-in networks: they begin and end at the right nodes, use existing links,
 * and show the wiring of the network. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/model/graph.h"
#include "tests/model/networks.h"
#include "tests/common/unit.h"

enum { LONGEST = 64 };

typedef struct {
    uint32_t cells[LONGEST];
    size_t count;
} route_of;

static route_of find_route(const ccmod_network *network, uint32_t source, uint32_t destination)
{
    route_of route;

    ck_assert_uint_le(network->longest_route, LONGEST);
    route.count = network->operations->route(network, source, destination, route.cells);
    return route;
}

static bool passes(const route_of *route, uint32_t cell)
{
    for (size_t i = 0; i < route->count; i++) {
        if (route->cells[i] == cell)
            return true;
    }
    return false;
}

static const char *error_of(const char *text, size_t processors)
{
    static ccmod_error error;
    ccmod_network *network = NULL;

    ck_assert_msg(ccmod_network_open(text, processors, &network, &error) == CCMOD_ERROR_USAGE,
                  "'%s' was taken", text);
    ck_assert_ptr_null(network);
    return error.text;
}

static void assert_says(const char *text, size_t processors, const char *part)
{
    const char *said = error_of(text, processors);

    ck_assert_msg(strstr(said, part) != NULL, "'%s' says '%s', not '%s'", text, said, part);
}

/* The article's Myrinet */

START_TEST(myrinet_routes_within_a_group_use_the_first_level_only)
{
    ccmod_network *network = graph_open("myrinet", 16);
    route_of route = find_route(network, 4, 7);

    ck_assert_uint_eq(route.count, 2);
    ck_assert_uint_eq(route.cells[0], 2 * 4 + CCMOD_INWARD);
    ck_assert_uint_eq(route.cells[1], 2 * 7 + CCMOD_OUTWARD);
    ccmod_network_free(network);
}
END_TEST

START_TEST(myrinet_routes_between_groups_pass_one_upper_switch)
{
    ccmod_network *network = graph_open("myrinet", 16);

    for (uint32_t source = 0; source < 16; source++) {
        for (uint32_t destination = 0; destination < 16; destination++) {
            route_of route;
            uint32_t up, down;

            if (source / 4 == destination / 4)
                continue;
            route = find_route(network, source, destination);
            ck_assert_uint_eq(route.count, 4);
            up = route.cells[1] / 2 - 16;
            down = route.cells[2] / 2 - 16;
            ck_assert_uint_eq(route.cells[1] % 2, CCMOD_INWARD);
            ck_assert_uint_eq(route.cells[2] % 2, CCMOD_OUTWARD);
            ck_assert_uint_eq(up / 4, source / 4);
            ck_assert_uint_eq(down / 4, destination / 4);
            ck_assert_uint_eq(up % 4, down % 4);
        }
    }
    ccmod_network_free(network);
}
END_TEST

/* Two sources of a group that use the same upper switch; some seed gives such a pair. */
static bool find_sharers(const ccmod_network *network, uint32_t *left, uint32_t *right)
{
    for (*left = 0; *left < 4; ++*left) {
        for (*right = *left + 1; *right < 4; ++*right) {
            route_of a = find_route(network, *left, 8), b = find_route(network, *right, 9);

            if (a.cells[1] == b.cells[1])
                return true;
        }
    }
    return false;
}

START_TEST(myrinet_messages_may_share_a_link_between_levels)
{
    size_t sharing = 0;

    for (unsigned seed = 1; seed <= 20; seed++) {
        char text[32];
        ccmod_network *network;
        uint32_t left, right;

        snprintf(text, sizeof(text), "myrinet:seed=%u", seed);
        network = graph_open(text, 16);
        if (find_sharers(network, &left, &right)) {
            route_of a = find_route(network, left, 8), b = find_route(network, right, 9);

            sharing++;
            ck_assert_msg(passes(&b, a.cells[1]) && passes(&b, a.cells[2]),
                          "seed %u: b leaves the way of a", seed);
            ck_assert_msg(!passes(&b, a.cells[0]) && !passes(&b, a.cells[3]),
                          "seed %u: b has an end of a", seed);
        }
        ccmod_network_free(network);
    }
    ck_assert_uint_gt(sharing, 0);
}
END_TEST

START_TEST(myrinet_routes_depend_on_the_seed)
{
    ccmod_network *first = graph_open("myrinet:seed=5", 16);
    ccmod_network *again = graph_open("myrinet:seed=5", 16);
    ccmod_network *other = graph_open("myrinet:seed=6", 16);
    size_t different = 0;

    for (uint32_t source = 0; source < 16; source++) {
        uint32_t goal = (source + 8) % 16;
        route_of a = find_route(first, source, goal), b = find_route(again, source, goal);
        route_of c = find_route(other, source, goal);

        ck_assert_mem_eq(a.cells, b.cells, 4 * sizeof(a.cells[0]));
        different += a.cells[1] != c.cells[1];
    }
    ck_assert_uint_gt(different, 0);
    ccmod_network_free(first);
    ccmod_network_free(again);
    ccmod_network_free(other);
}
END_TEST

START_TEST(myrinet_uses_the_packets_of_the_article_and_the_given_line)
{
    ccmod_network *network = graph_open("myrinet", 4);

    ck_assert_uint_eq(network->links, 32);
    ck_assert_uint_eq(network->payload_bytes, 2020);
    ck_assert_uint_eq(network->header_bytes, 20);
    ck_assert(network->needs_calibration);
    ck_assert_uint_eq(ccmod_packets(network, 2021), 2);
    ccmod_network_free(network);
}
END_TEST

/* All pairs */

/* What the routes between all pairs must show about the wiring. */
typedef struct {
    const char *text;
    size_t nodes, links, switches, longest;
    size_t radix, with_radix; /* number of vertices with this number of links */
} expected_wiring;

static const expected_wiring wirings[] = {
    {"crossbar:9", 9, 9, 1, 2, 9, 1},
    {"fattree:levels=1,radix=7", 7, 7, 1, 2, 7, 1},
    {"fattree:levels=2,radix=4", 8, 16, 6, 4, 4, 6},
    {"fattree:levels=2,radix=6,oversubscription=2", 24, 36, 8, 4, 6, 8},
    {"fattree:levels=2,radix=9,oversubscription=1.25", 45, 81, 13, 4, 9, 13},
    {"fattree:levels=3,radix=4", 16, 48, 20, 6, 4, 20},
    {"fattree:levels=3,radix=4,oversubscription=3", 24, 40, 14, 6, 4, 14},
    {"fattree:levels=4,radix=4", 32, 128, 56, 8, 4, 56},
    {"dragonfly:groups=1,routers=4,hosts=2", 8, 14, 4, 3, 5, 4},
    {"dragonfly:groups=5,routers=2,hosts=2", 20, 35, 10, 5, 5, 10},
    {"dragonfly:groups=9,routers=4,hosts=2", 72, 162, 36, 5, 7, 36},
    {"dragonfly:groups=4,routers=3,hosts=1", 12, 30, 12, 5, 4, 12},
    {"torus:dimensions=5", 5, 10, 5, 4, 3, 5},
    {"torus:dimensions=2x3", 6, 15, 6, 4, 4, 6},
    {"torus:dimensions=4x4x4", 64, 256, 64, 8, 7, 64},
    {"torus:dimensions=3x1x2,hosts=3", 18, 27, 6, 4, 6, 6},
};

enum { WIRINGS = sizeof(wirings) / sizeof(wirings[0]) };

static void check_wiring(const expected_wiring *expected)
{
    ccmod_network *network = graph_open(expected->text, 2);
    graph_wiring wiring = graph_find_wiring(network);

    ck_assert_uint_eq(network->nodes, expected->nodes);
    ck_assert_uint_eq(network->links, expected->links);
    ck_assert_uint_eq(wiring.links, expected->links);
    ck_assert_uint_eq(wiring.vertices, expected->nodes + expected->switches);
    ck_assert_uint_eq(wiring.nodes_with_one_link, expected->nodes);
    ck_assert_uint_eq(wiring.longest, expected->longest);
    ck_assert_msg(graph_count_degree(&wiring, expected->radix) == expected->with_radix,
                  "%s: not %zu switches with %zu ports", expected->text, expected->with_radix,
                  expected->radix);
    graph_free(&wiring);
    ccmod_network_free(network);
}

START_TEST(routes_show_the_wiring_of_the_network)
{
    for (size_t i = 0; i < WIRINGS; i++)
        check_wiring(&wirings[i]);
}
END_TEST

START_TEST(every_kind_has_routes_from_the_source_to_the_destination)
{
    for (size_t i = 0; network_text(i) != NULL; i++) {
        ccmod_network *network = graph_open(network_text(i), 16);
        graph_wiring wiring = graph_find_wiring(network);

        ck_assert_uint_gt(wiring.vertices, network->nodes);
        graph_free(&wiring);
        ccmod_network_free(network);
    }
}
END_TEST

START_TEST(routes_in_both_directions_are_equally_long)
{
    for (size_t i = 0; i < WIRINGS; i++) {
        ccmod_network *network = graph_open(wirings[i].text, 2);

        for (uint32_t source = 1; source < network->nodes; source++) {
            for (uint32_t destination = 0; destination < source; destination++)
                ck_assert_uint_eq(find_route(network, source, destination).count,
                                  find_route(network, destination, source).count);
        }
        ccmod_network_free(network);
    }
}
END_TEST

START_TEST(the_link_of_a_node_has_its_number)
{
    for (size_t i = 0; i < WIRINGS; i++) {
        ccmod_network *network = graph_open(wirings[i].text, 2);

        for (uint32_t destination = 1; destination < network->nodes; destination++) {
            route_of route = find_route(network, 0, destination);

            ck_assert_uint_eq(route.cells[0], CCMOD_INWARD);
            ck_assert_uint_eq(route.cells[route.count - 1], 2 * destination + CCMOD_OUTWARD);
        }
        ccmod_network_free(network);
    }
}
END_TEST

START_TEST(each_link_has_its_own_name)
{
    for (size_t i = 0; network_text(i) != NULL; i++) {
        ccmod_network *network = graph_open(network_text(i), 16);
        char(*names)[96] = calloc(network->links, sizeof(*names));

        ck_assert_ptr_nonnull(names);
        for (uint32_t link = 0; link < network->links; link++) {
            ccmod_link_name(network, link, names[link], sizeof(names[link]));
            for (uint32_t before = 0; before < link; before++)
                ck_assert_str_ne(names[link], names[before]);
        }
        free(names);
        ccmod_network_free(network);
    }
}
END_TEST

/* Fat tree */

/* The largest number of messages on a link when each node of a leaf sends to the corresponding
 * node of the next leaf. */
static size_t most_shared(const char *text, uint32_t leaf)
{
    ccmod_network *network = graph_open(text, 2);
    size_t *passing = calloc(2 * network->links, sizeof(*passing)), most = 0;

    ck_assert_ptr_nonnull(passing);
    for (uint32_t source = 0; source < network->nodes; source++) {
        route_of route = find_route(network, source, (source + leaf) % (uint32_t)network->nodes);

        for (size_t k = 0; k < route.count; k++) {
            size_t now = ++passing[route.cells[k]];

            most = now > most ? now : most;
        }
    }
    free(passing);
    ccmod_network_free(network);
    return most;
}

START_TEST(a_full_fat_tree_routes_a_shift_without_sharing)
{
    ck_assert_uint_eq(most_shared("fattree:levels=2,radix=8", 4), 1);
    ck_assert_uint_eq(most_shared("fattree:levels=3,radix=4", 2), 1);
    ck_assert_uint_eq(most_shared("fattree:levels=3,radix=4", 8), 1);
}
END_TEST

START_TEST(oversubscription_shares_links_by_its_ratio)
{
    ck_assert_uint_eq(most_shared("fattree:levels=2,radix=6,oversubscription=2", 4), 2);
    ck_assert_uint_eq(most_shared("fattree:levels=2,radix=8,oversubscription=3", 6), 3);
    ck_assert_uint_eq(most_shared("fattree:levels=3,radix=8,oversubscription=3", 6), 3);
}
END_TEST

START_TEST(a_fat_tree_without_radix_is_large_enough)
{
    static const struct {
        size_t processors, nodes;
    } rows[] = {{2, 2}, {8, 8}, {9, 18}, {1000, 1058}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ccmod_network *network = graph_open("fattree", rows[i].processors);

        ck_assert_uint_eq(network->nodes, rows[i].nodes);
        ccmod_network_free(network);
    }
}
END_TEST

START_TEST(a_multicast_in_a_fat_tree_goes_up_once)
{
    ccmod_network *network = graph_open("fattree:levels=2,radix=8", 2);
    uint32_t destinations[31], cells[31 * 4];
    size_t hops = 0, count, up = 0;

    for (uint32_t i = 0; i < 31; i++)
        destinations[i] = i + 1;
    count = network->operations->tree(network, 0, destinations, 31, cells, &hops);
    for (size_t i = 0; i < count; i++)
        up += cells[i] % 2 == CCMOD_INWARD;
    ck_assert_uint_eq(hops, 4);
    ck_assert_uint_eq(up, 2); /* node 0's link and one upper link of its leaf */
    ck_assert_uint_eq(count - up,
                      31 + 7); /* the links of all other nodes and of all other leaves */
    ccmod_network_free(network);
}
END_TEST

/* Dragonfly and torus */

START_TEST(a_dragonfly_uses_the_same_route_in_both_directions)
{
    ccmod_network *network = graph_open("dragonfly:groups=9,routers=4,hosts=2", 2);

    for (uint32_t source = 0; source < network->nodes; source++) {
        for (uint32_t destination = 0; destination < source; destination++) {
            route_of there = find_route(network, source, destination);
            route_of back = find_route(network, destination, source);

            for (size_t k = 0; k < there.count; k++)
                ck_assert_uint_eq(there.cells[k], back.cells[back.count - 1 - k] ^ 1u);
        }
    }
    ccmod_network_free(network);
}
END_TEST

START_TEST(a_dragonfly_without_numbers_is_balanced_and_large_enough)
{
    ccmod_network *network = graph_open("dragonfly", 73);

    ck_assert_str_eq(network->name, "dragonfly:groups=19,routers=6,hosts=3");
    ccmod_network_free(network);
    network = graph_open("dragonfly:groups=3,routers=4", 100);
    ck_assert_str_eq(network->name, "dragonfly:groups=3,routers=4,hosts=9");
    ccmod_network_free(network);
}
END_TEST

START_TEST(a_torus_routes_the_shorter_way_in_order_of_dimensions)
{
    ccmod_network *network = graph_open("torus:dimensions=5x4", 2);
    route_of route = find_route(network, 0, 3 + 5 * 3); /* to (3,3) */

    /* (0,0) back to (4,0) and (3,0), then back to (3,3) */
    ck_assert_uint_eq(route.count, 5);
    ck_assert_uint_eq(route.cells[1], 2 * (20 + 4) + CCMOD_OUTWARD);
    ck_assert_uint_eq(route.cells[2], 2 * (20 + 3) + CCMOD_OUTWARD);
    ck_assert_uint_eq(route.cells[3], 2 * (40 + 3 * 5 + 3) + CCMOD_OUTWARD);
    ccmod_network_free(network);
}
END_TEST

START_TEST(a_torus_uses_both_directions_of_a_ring_equally)
{
    ccmod_network *network = graph_open("torus:dimensions=4", 2);
    size_t forwards = 0;

    for (uint32_t source = 0; source < 4; source++)
        forwards += find_route(network, source, (source + 2) % 4).cells[1] % 2 == CCMOD_INWARD;
    ck_assert_uint_eq(forwards, 2);
    ccmod_network_free(network);
}
END_TEST

/* Size */

static void check_large(const char *text)
{
    ccmod_network *network = graph_open(text, 100000);
    cb_random random = cb_random_seed(7);
    uint32_t *cells = calloc(network->longest_route, sizeof(*cells));

    ck_assert_ptr_nonnull(cells);
    ck_assert_uint_ge(network->nodes, 100000);
    for (size_t i = 0; i < 10000; i++) {
        uint32_t source = (uint32_t)cb_random_below(&random, network->nodes);
        uint32_t destination = (uint32_t)cb_random_below(&random, network->nodes);
        size_t count;

        if (source == destination)
            continue;
        count = network->operations->route(network, source, destination, cells);
        ck_assert_msg(count >= 2 && count <= network->longest_route, "%d links, pair %d",
                      (int)count, (int)i);
        ck_assert_uint_eq(cells[0], 2 * source + CCMOD_INWARD);
        ck_assert_uint_eq(cells[count - 1], 2 * destination + CCMOD_OUTWARD);
        for (size_t k = 0; k < count; k++)
            ck_assert_uint_lt(cells[k], 2 * network->links);
    }
    free(cells);
    ccmod_network_free(network);
}

START_TEST(networks_of_a_hundred_thousand_nodes_have_routes)
{
    check_large("fattree:levels=3,radix=74");
    check_large("fattree:levels=4,oversubscription=3");
    check_large("dragonfly");
    check_large("torus:dimensions=47x47x47");
}
END_TEST

/* Refused networks */

START_TEST(invalid_texts_are_refused_with_a_remedy)
{
    static const struct {
        const char *text;
        size_t processors;
        const char *part;
    } rows[] = {
        {"moebius", 2, "no such kind"},
        {"myrinet", 17, "it has 16 nodes, but the workload 17"},
        {"myrinet:seed", 2, "no value in 'seed'"},
        {"myrinet:sead=1", 2, "unknown parameter 'sead'"},
        {"myrinet:seed=1,seed=2", 2, "repeated parameter 'seed'"},
        {"myrinet:seed=-1", 2, "negative"},
        {"myrinet:", 2, "no value in ''"},
        {"fattree:levels=9", 2, "too large; use 1 to 8"},
        {"fattree:levels=3,radix=5", 2, "cannot be divided"},
        {"fattree:radix=7,oversubscription=2", 2, "cannot be divided"},
        {"fattree:levels=1,oversubscription=2,radix=8", 2, "use two levels"},
        {"fattree:oversubscription=0.5", 2, "use 1 to 1024"},
        {"fattree:levels=1", 5000, "take more levels"},
        {"fattree:levels=8,radix=4096", 2, "more than 2147483647 nodes or links"},
        {"fattree:levels=2,radix=4", 9, "it has 8 nodes"},
        {"dragonfly:groups=1048576,routers=1048576,hosts=1048576", 2, "make it smaller"},
        {"dragonfly:groups=0", 2, "too small"},
        {"torus", 2, "write its dimensions"},
        {"torus:dimensions=4x", 2, "empty"},
        {"torus:dimensions=4x0", 2, "too small"},
        {"torus:dimensions=1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1", 1, "more than 16 dimensions"},
        {"torus:dimensions=65536x65536", 2, "make it smaller"},
        {"file", 2, "the file is missing"},
        {"file:/no/such/topology", 2, "cannot read"},
        {"./nowhere.net", 2, "cannot read"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_says(rows[i].text, rows[i].processors, rows[i].part);
}
END_TEST

UNIT_MAIN("routes", myrinet_routes_within_a_group_use_the_first_level_only,
          myrinet_routes_between_groups_pass_one_upper_switch,
          myrinet_messages_may_share_a_link_between_levels, myrinet_routes_depend_on_the_seed,
          myrinet_uses_the_packets_of_the_article_and_the_given_line,
          routes_show_the_wiring_of_the_network,
          every_kind_has_routes_from_the_source_to_the_destination,
          routes_in_both_directions_are_equally_long, the_link_of_a_node_has_its_number,
          each_link_has_its_own_name, a_full_fat_tree_routes_a_shift_without_sharing,
          oversubscription_shares_links_by_its_ratio, a_fat_tree_without_radix_is_large_enough,
          a_multicast_in_a_fat_tree_goes_up_once,
          a_dragonfly_uses_the_same_route_in_both_directions,
          a_dragonfly_without_numbers_is_balanced_and_large_enough,
          a_torus_routes_the_shorter_way_in_order_of_dimensions,
          a_torus_uses_both_directions_of_a_ring_equally,
          networks_of_a_hundred_thousand_nodes_have_routes, invalid_texts_are_refused_with_a_remedy)
