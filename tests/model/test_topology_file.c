/* Networks from topology files: their meaning, their routes, and mistakes, each refused with
 * line and remedy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/model/graph.h"
#include "tests/common/unit.h"

static char path[] = "topology.XXXXXX";

static void write_file(const char *text, size_t bytes)
{
    int descriptor;

    strcpy(path, "topology.XXXXXX");
    descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(write(descriptor, text, bytes), (ssize_t)bytes);
    close(descriptor);
}

/* A network of "%network 1" and these lines. */
static ccmod_network *network_of(const char *lines)
{
    ccmod_network *network;
    char *text = NULL, *name = NULL;
    int bytes = asprintf(&text, "%%network 1\n%s", lines);

    ck_assert_int_gt(bytes, 0);
    write_file(text, (size_t)bytes);
    ck_assert_int_gt(asprintf(&name, "file:%s", path), 0);
    network = graph_open(name, 1);
    unlink(path);
    free(text);
    free(name);
    return network;
}

static const char *refusal_of(const char *text, size_t bytes)
{
    static ccmod_error error;
    ccmod_network *network = NULL;
    char *name = NULL;
    ccmod_status status;

    write_file(text, bytes);
    ck_assert_int_gt(asprintf(&name, "file:%s", path), 0);
    status = ccmod_network_open(name, 1, &network, &error);
    unlink(path);
    free(name);
    ck_assert_msg(status == CCMOD_ERROR_USAGE, "'%s' gave status %d", text, (int)status);
    return error.text;
}

/* The vertices on a route, as "0 a b 5". */
static void describe_route(const ccmod_network *network, uint32_t source, uint32_t destination,
                           char *text, size_t bytes)
{
    uint32_t cells[64];
    size_t count = network->operations->route(network, source, destination, cells);

    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        char name[160], *middle;
        size_t used = strlen(text);

        ccmod_link_name(network, cells[i] / 2, name, sizeof(name));
        middle = strstr(name, " - ");
        ck_assert_ptr_nonnull(middle);
        *middle = '\0';
        snprintf(text + used, bytes - used, "%s%s", i > 0 ? ", " : "",
                 cells[i] % 2 == CCMOD_INWARD ? middle + 3 : name);
    }
}

static void assert_route(const ccmod_network *network, uint32_t source, uint32_t destination,
                         const char *expected)
{
    char text[512];

    describe_route(network, source, destination, text, sizeof(text));
    ck_assert_str_eq(text, expected);
}

static const char two_leaves[] = "nodes 4\nswitch a b x y\nlink 0-1 a\nlink 2,3 b\nlink a x\n"
                                 "link a y\nlink b x\nlink b y\n";

START_TEST(a_route_is_a_shortest_path)
{
    ccmod_network *network = network_of("nodes 3\nswitch a b c\nlink 0 a\nlink 1 b\nlink c 2\n"
                                        "link a b\nlink b c\nlink a c\n");

    ck_assert_uint_eq(network->nodes, 3);
    ck_assert_uint_eq(network->links, 6);
    ck_assert_uint_eq(network->longest_route, 3);
    assert_route(network, 0, 1, "a, b, node 1");
    assert_route(network, 2, 0, "c, a, node 0");
    ccmod_network_free(network);
}
END_TEST

START_TEST(every_hop_reduces_the_distance)
{
    ccmod_network *network = network_of("nodes 7\nswitch a b c d e f g\nlink 0 a\nlink 1 b\n"
                                        "link 2 c\nlink 3 d\nlink 4 e\nlink 5 f\nlink 6 g\n"
                                        "link a b\nlink b c\nlink c d\nlink d e\nlink e f\n"
                                        "link f g\nlink g a\n");
    uint32_t cells[8];

    for (uint32_t source = 0; source < 7; source++) {
        for (uint32_t step = 1; step < 7; step++) {
            size_t count = network->operations->route(network, source, (source + step) % 7, cells);

            ck_assert_uint_eq(count, 2 + (step < 4 ? step : 7 - step));
        }
    }
    ccmod_network_free(network);
}
END_TEST

START_TEST(the_destination_selects_among_equal_paths)
{
    ccmod_network *network = network_of(two_leaves);

    assert_route(network, 0, 2, "a, x, b, node 2");
    assert_route(network, 0, 3, "a, y, b, node 3");
    assert_route(network, 1, 2, "a, x, b, node 2");
    assert_route(network, 2, 1, "b, y, a, node 1");
    ccmod_network_free(network);
}
END_TEST

START_TEST(parallel_links_are_used_in_turn)
{
    ccmod_network *network = network_of("nodes 4\nswitch a b\nlink 0-1 a\nlink 2-3 b\n"
                                        "link a b count=2\n");
    uint32_t cells[2][3];
    char names[2][64];

    for (uint32_t i = 0; i < 2; i++) {
        ck_assert_uint_eq(network->operations->route(network, 0, 2 + i, cells[i]), 3);
        ccmod_link_name(network, cells[i][1] / 2, names[i], sizeof(names[i]));
    }
    ck_assert_str_eq(names[0], "a - b");
    ck_assert_str_eq(names[1], "a - b (2)");
    ccmod_network_free(network);
}
END_TEST

START_TEST(a_given_route_applies_to_its_direction_only)
{
    char *text = NULL;
    ccmod_network *network;

    ck_assert_int_gt(asprintf(&text, "%sroute 0-1 2 via a y b\n", two_leaves), 0);
    network = network_of(text);
    assert_route(network, 0, 2, "a, y, b, node 2");
    assert_route(network, 1, 2, "a, y, b, node 2");
    assert_route(network, 2, 0, "b, x, a, node 0");
    free(text);
    ccmod_network_free(network);
}
END_TEST

START_TEST(a_given_route_may_be_longer_than_the_shortest)
{
    ccmod_network *network = network_of("nodes 2\nswitch a b c\nlink 0 a\nlink 1 b\nlink a b\n"
                                        "link b c\nlink a c\nroute 0 1 via a c b\n");

    ck_assert_uint_eq(network->longest_route, 4);
    assert_route(network, 0, 1, "a, c, b, node 1");
    assert_route(network, 1, 0, "b, a, node 0");
    ccmod_network_free(network);
}
END_TEST

START_TEST(nodes_may_be_linked_to_each_other)
{
    ccmod_network *network = network_of("nodes 3\nlink 0-1 2\nlink 0 1\n");

    assert_route(network, 0, 1, "node 1");
    assert_route(network, 2, 0, "node 0");
    ck_assert_uint_eq(network->longest_route, 1);
    ccmod_network_free(network);
}
END_TEST

START_TEST(a_node_with_two_links_uses_the_nearer_one)
{
    ccmod_network *network =
        network_of("nodes 3\nswitch a b\nlink 0 a\nlink 0 b\nlink 1 a\nlink 2 b\nlink a b\n");

    assert_route(network, 0, 1, "a, node 1");
    assert_route(network, 0, 2, "b, node 2");
    assert_route(network, 1, 2, "a, b, node 2");
    ccmod_network_free(network);
}
END_TEST

START_TEST(the_wiring_derived_from_routes_is_that_of_the_file)
{
    ccmod_network *network = network_of(two_leaves);
    graph_wiring wiring = graph_find_wiring(network);

    ck_assert_uint_eq(wiring.vertices, 8);
    ck_assert_uint_eq(wiring.links, 8);
    ck_assert_uint_eq(graph_count_degree(&wiring, 4), 2);
    ck_assert_uint_eq(graph_count_degree(&wiring, 2), 2);
    graph_free(&wiring);
    ccmod_network_free(network);
}
END_TEST

START_TEST(bandwidth_is_relative_to_the_links_of_nodes)
{
    ccmod_network *network =
        network_of("nodes 2\nswitch a b\nlink 0-1 a bandwidth_MBps=100 latency_us=0.5\n"
                   "link a b bandwidth_MBps=250 latency_us=2\n");

    ck_assert_double_eq(network->widths[0], 1);
    ck_assert_double_eq(network->widths[4], 2.5);
    ck_assert_double_eq(network->widths[5], 2.5);
    ck_assert_double_eq(network->latencies_us[1], 0.5);
    ck_assert_double_eq(network->latencies_us[5], 2);
    ccmod_network_free(network);
}
END_TEST

START_TEST(a_reference_selects_the_links_that_the_calibration_describes)
{
    ccmod_network *network = network_of("nodes 2\nswitch a\nreference bandwidth_MBps=50\n"
                                        "link 0 a bandwidth_MBps=100\nlink 1 a\n");

    ck_assert_double_eq(network->widths[0], 2);
    ck_assert_double_eq(network->widths[2], 1);
    ccmod_network_free(network);
}
END_TEST

START_TEST(the_packet_size_is_that_of_the_file)
{
    ccmod_network *network =
        network_of("nodes 2 # two\n\n\tswitch a\r\npacket payload_bytes=2020 header_bytes=20\n"
                   "link 0-1 a");

    ck_assert_uint_eq(network->payload_bytes, 2020);
    ck_assert_uint_eq(network->header_bytes, 20);
    ccmod_network_free(network);
}
END_TEST

/* In an evaluation 0 sends 1000 bytes to 1 over two links of 0.5 us and 1.5 us. */
START_TEST(latencies_of_links_delay_a_message)
{
    static const char trace_text[] = "%cct 1 ranks 2 unit us\n0: s 1 1000\n1: r 0 1000\n";
    ccmod_network *network = network_of("nodes 2\nswitch a\nlink 0 a latency_us=0.5\n"
                                        "link 1 a latency_us=1.5\n");
    ccmod_calibration calibration = ccmod_calibration_line(3, 5, 100);
    ccmod_parameters parameters = ccmod_parameters_default();
    ccmod_trace *trace = NULL;
    ccmod_workload *workload = NULL;
    ccmod_result *result = NULL;

    ck_assert(ccmod_trace_parse("trace", trace_text, strlen(trace_text), &trace, NULL) == CCMOD_OK);
    ck_assert(ccmod_trace_workload(trace, 1, &workload, NULL) == CCMOD_OK);
    ck_assert(ccmod_evaluate(workload, network, &calibration, &parameters, NULL, 0, &result,
                             NULL) == CCMOD_OK);
    ck_assert_double_eq_tol(result->end_us, 3 + 5 + 2 + 10, 1e-9);
    ccmod_result_free(result);
    ccmod_workload_free(workload);
    ccmod_trace_close(trace);
    ccmod_network_free(network);
}
END_TEST

START_TEST(a_large_file_is_read)
{
    enum { LEAVES = 256, SPINES = 16 };
    ccmod_network *network;
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);

    ck_assert_ptr_nonnull(stream);
    fprintf(stream, "nodes %d\n", LEAVES * 32);
    for (int i = 0; i < LEAVES + SPINES; i++)
        fprintf(stream, "switch s%d\n", i);
    for (int i = 0; i < LEAVES; i++) {
        fprintf(stream, "link %d-%d s%d\n", 32 * i, 32 * i + 31, i);
        for (int k = 0; k < SPINES; k++)
            fprintf(stream, "link s%d s%d\n", i, LEAVES + k);
    }
    fclose(stream);
    network = network_of(text);
    ck_assert_uint_eq(network->longest_route, 4);
    assert_route(network, 0, 8191, "s0, s271, s255, node 8191");
    assert_route(network, 0, 8176, "s0, s256, s255, node 8176");
    free(text);
    ccmod_network_free(network);
}
END_TEST

/* Each of these, after "%network 1\n", is refused in the line (0: none) for the reason. */
static const struct {
    const char *lines;
    size_t line;
    const char *part;
} refusals[] = {
    {"", 0, "has no nodes"},
    {"nodes", 2, "the number is missing"},
    {"nodes 0", 2, "too small"},
    {"nodes 99999999999999999999", 2, "too large"},
    {"nodes 16777217", 2, "too large; use 1 to 16777216"},
    {"nodes 4 5", 2, "remove it"},
    {"nodes 4\nnodes 4", 3, "already stated in line 2"},
    {"node 4", 2, "not a statement; use nodes, switch"},
    {"switch a", 2, "must be known before"},
    {"nodes 2\nswitch", 3, "the name is missing"},
    {"nodes 2\nswitch 4a", 3, "not the name of a switch"},
    {"nodes 2\nswitch a\nswitch b a", 4, "of that name already exists"},
    {"nodes 2\nlink", 3, "needs two ends"},
    {"nodes 2\nlink 0", 3, "needs two ends"},
    {"nodes 2\nlink 0 a", 3, "unknown switch"},
    {"nodes 2\nlink 0 2", 3, "too large; use 0 to 1"},
    {"nodes 2\nlink 1-0 1", 3, "too small"},
    {"nodes 2\nlink 0 0", 3, "to itself"},
    {"nodes 2\nswitch a\nlink a a", 4, "to itself"},
    {"nodes 4\nlink 0-1 2-3", 3, "on both sides"},
    {"nodes 2\nswitch a\nlink 0 a bandwidth_MBps=0", 4, "its bandwidth must be above 0"},
    {"nodes 2\nswitch a\nlink 0 a bandwidth_MBps=-3", 4, "negative"},
    {"nodes 2\nswitch a\nlink 0 a bandwidth_MBps=fast", 4, "'bandwidth_MBps=fast'"},
    {"nodes 2\nswitch a\nlink 0 a bandwidth=3", 4, "not an option of this statement"},
    {"nodes 2\nswitch a\nlink 0 a latency_us=1 latency_us=2", 4, "given twice"},
    {"nodes 2\nswitch a\nlink 0 a count=0", 4, "too small"},
    {"nodes 2\nswitch a\nlink 0-1 a\nlink a 0", 5,
     "there already is a link between node 0 and a, in line 4"},
    {"nodes 2\nswitch a\nlink 0,0 a\nlink 1 a", 4, "and a, in line 4"},
    {"nodes 2\nswitch a\nlink 0 a", 0, "node 1 has no link"},
    {"nodes 4\nswitch a b\nlink 0-1 a\nlink 2-3 b", 0, "node 2 cannot be reached from node 0"},
    {"nodes 3\nlink 0 1\nlink 1 2", 0, "node 2 cannot be reached from node 0"},
    {"nodes 3\nswitch a b\nlink 0 a\nlink 0 b\nlink 1 a\nlink 2 b", 0,
     "node 2 cannot be reached from node 1"},
    {"nodes 2\nreference", 3, "above 0"},
    {"nodes 2\npacket header_bytes=3", 3, "payload is missing"},
    {"nodes 2\nroute 0", 3, "sources and destinations are missing"},
    {"nodes 2\nroute 0 1", 3, "'via' is missing"},
    {"nodes 2\nswitch a\nroute 0 1 via", 4, "no switch follows"},
    {"nodes 2\nswitch a\nroute 0 1 via a a", 4, "passes it twice"},
    {"nodes 2\nswitch a b\nlink 0-1 a\nroute 0 1 via a b", 5, "needs a link between a and b"},
    {"nodes 2\nswitch a\nlink 0-1 a\nroute 0 1 via a\nroute 0-1 1 via a", 6,
     "is already given in line 5"},
    {"nodes 16777216\nswitch a\nroute 0-16777215 0-16777215 via a", 4, "more pairs"},
    {"nodes 16777216\nswitch a\nlink 0-16777215 a count=65536", 4, "more links"},
};

START_TEST(mistakes_are_refused_with_their_line)
{
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        char *text = NULL, place[64];
        int bytes = asprintf(&text, "%%network 1\n%s", refusals[i].lines);
        const char *said;

        ck_assert_int_gt(bytes, 0);
        said = refusal_of(text, (size_t)bytes);
        snprintf(place, sizeof(place), refusals[i].line > 0 ? "%s:%zu: " : "%s: ", path,
                 refusals[i].line);
        ck_assert_msg(strstr(said, refusals[i].part) != NULL, "'%s' says '%s'", refusals[i].lines,
                      said);
        ck_assert_msg(strncmp(said, place, strlen(place)) == 0, "'%s' says '%s', not '%s'",
                      refusals[i].lines, said, place);
        free(text);
    }
}
END_TEST

START_TEST(a_file_that_is_no_topology_is_refused)
{
    static const char zeros[1 << 17] = "";
    char *long_line = calloc(1, 1 << 17);

    ck_assert_ptr_nonnull(long_line);
    memset(long_line, 'x', (1 << 17) - 1);
    ck_assert_ptr_nonnull(strstr(refusal_of("", 0), "the file is empty"));
    ck_assert_ptr_nonnull(strstr(refusal_of("%network 2\n", 11), "'%network 1'"));
    ck_assert_ptr_nonnull(strstr(refusal_of("%cct 1 ranks 2 unit us\n", 23), "'%network 1'"));
    ck_assert_ptr_nonnull(strstr(refusal_of(zeros, sizeof(zeros)), "a zero byte"));
    ck_assert_ptr_nonnull(strstr(refusal_of(long_line, 1 << 17), "more than 65534 characters"));
    free(long_line);
}
END_TEST

START_TEST(an_endless_device_is_refused)
{
    ccmod_network *network = NULL;
    ccmod_error error;

    ck_assert(ccmod_network_open("file:/dev/zero", 1, &network, &error) == CCMOD_ERROR_USAGE);
    ck_assert(ccmod_network_open("file:/", 1, &network, &error) == CCMOD_ERROR_SYSTEM);
}
END_TEST

START_TEST(too_many_switches_with_nodes_are_refused_with_a_remedy)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);

    ck_assert_ptr_nonnull(stream);
    fprintf(stream, "%%network 1\nnodes 10000\n");
    for (int i = 0; i < 10000; i++)
        fprintf(stream, "switch s%d\nlink %d s%d\n", i, i, i);
    fclose(stream);
    ck_assert_ptr_nonnull(strstr(refusal_of(text, bytes), "use a kind of network that computes"));
    free(text);
}
END_TEST

UNIT_MAIN("topology_file", a_route_is_a_shortest_path, every_hop_reduces_the_distance,
          the_destination_selects_among_equal_paths, parallel_links_are_used_in_turn,
          a_given_route_applies_to_its_direction_only,
          a_given_route_may_be_longer_than_the_shortest, nodes_may_be_linked_to_each_other,
          a_node_with_two_links_uses_the_nearer_one,
          the_wiring_derived_from_routes_is_that_of_the_file,
          bandwidth_is_relative_to_the_links_of_nodes,
          a_reference_selects_the_links_that_the_calibration_describes,
          the_packet_size_is_that_of_the_file, latencies_of_links_delay_a_message,
          a_large_file_is_read, mistakes_are_refused_with_their_line,
          a_file_that_is_no_topology_is_refused, an_endless_device_is_refused,
          too_many_switches_with_nodes_are_refused_with_a_remedy)
