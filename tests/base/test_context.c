/* Parsing of configuration files: the format of the SCI note, which scope takes precedence, and
 * for every mistake a message with file, line and remedy. */
#include "base/context.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "tests/base/technologies.h"
#include "tests/common/unit.h"

typedef struct {
    const char *network, *nodes, *machines;
} texts;

static cb_config *config;
static cb_settings settings;
static char messages[4096];

static cb_status parse_quietly(texts source)
{
    cb_config_texts given = {
        .text = {strdup(source.network), strdup(source.nodes), strdup(source.machines)},
        .bytes = {strlen(source.network), strlen(source.nodes), strlen(source.machines)}};
    cb_status status =
        cb_config_parse("DIR", &given, known_technologies, KNOWN_TECHNOLOGIES, &config);

    cb_config_texts_free(&given);
    return status;
}

/* stderr is captured in `messages` during the call. */
static cb_status parse(texts source)
{
    int place = memfd_create("messages", 0), before = dup(STDERR_FILENO);
    cb_status status;
    ssize_t length;

    ck_assert_int_ge(place, 0);
    ck_assert_int_ge(dup2(place, STDERR_FILENO), 0);
    cb_log_identify("cb_test", -1);
    status = parse_quietly(source);
    if (status == CB_OK) {
        cb_job job = {.ranks = 2, .largest_bytes = 1024, .held_buffers = 2};

        status = cb_config_settings(config, &job, &sci_parameters, NULL, &settings);
        if (status != CB_OK)
            cb_config_free(config);
    }
    dup2(before, STDERR_FILENO);
    length = pread(place, messages, sizeof(messages) - 1, 0);
    messages[length > 0 ? length : 0] = '\0';
    close(place);
    close(before);
    return status;
}

static void done(void)
{
    cb_settings_free(&settings);
    cb_config_free(config);
}

static void take(texts source)
{
    ck_assert_msg(parse(source) == CB_OK, "refused: %s", messages);
}

static const char two_nodes[] = "node a { id = 1 }\nnode b { id = 2 }\n";

START_TEST(empty_files_give_the_defaults_of_note_48)
{
    const sci_settings *sci;

    take((texts){"", two_nodes, ""});
    sci = sci_settings_of(&settings, 1);
    ck_assert_str_eq(cb_config_technology_name(config), "sci");
    ck_assert_str_eq(cb_config_technology_place(config), "DIR/network.conf, which names none,");
    ck_assert_uint_eq(sci->max_outst_buffers, 1);
    ck_assert_uint_eq(sci->recv_seg_id, 8);
    ck_assert_uint_eq(sci->recv_seg_size, 1048576);
    ck_assert_uint_eq(sci->header_area_size, 8192);
    ck_assert_uint_eq(sci->inline_area_size, 0);
    ck_assert_uint_eq(sci->recv_buffer_no, 127);
    ck_assert_uint_eq(sci->recv_buffer_size, 8192);
    ck_assert(!sci->use_send_pool);
    ck_assert_uint_eq(sci->send_buffer_no, 127);
    ck_assert_uint_eq(sci->send_buffer_size, 8192);
    ck_assert_uint_eq(sci_settings_of(&settings, 1)->node_id, CB_PARAMETER_ABSENT);
    ck_assert_str_eq(messages, "");
    done();
}
END_TEST

START_TEST(the_defaults_fill_the_segment_exactly)
{
    const sci_settings *sci;

    take((texts){"", two_nodes, ""});
    sci = sci_settings_of(&settings, 0);
    ck_assert_uint_eq(sci->recv_seg_size,
                      sci->header_area_size + sci->recv_buffer_no * sci->recv_buffer_size);
    done();
}
END_TEST

START_TEST(node_values_override_top_values_and_those_the_defaults)
{
    take((texts){"SCI { recv_seg_id = 20 recv_buffer_no = 50 }",
                 "node a { id = 1 SCI { recv_buffer_no = 60 } }\nnode b { id = 2 }", ""});
    ck_assert_uint_eq(sci_settings_of(&settings, 0)->recv_buffer_no, 60);
    ck_assert_uint_eq(sci_settings_of(&settings, 1)->recv_buffer_no, 50);
    ck_assert_uint_eq(sci_settings_of(&settings, 0)->recv_seg_id, 20);
    ck_assert_uint_eq(sci_settings_of(&settings, 0)->send_buffer_no, 127);
    done();
}
END_TEST

START_TEST(rank_r_is_the_rth_node_with_its_names_and_machine)
{
    take((texts){"", "node b { id = 7 machine = pc2 }\nnode a { id = 3 machine = pc1 }",
                 "machine pc1 { SCI { node_id = 4 } }\nmachine pc2 { SCI { node_id = 8 } }"});
    ck_assert(settings.configured);
    ck_assert_uint_eq(settings.node_count, 2);
    ck_assert_str_eq(settings.nodes[0].name, "b");
    ck_assert_uint_eq(settings.nodes[0].id, 7);
    ck_assert_uint_eq(sci_settings_of(&settings, 0)->node_id, 8);
    ck_assert_uint_eq(sci_settings_of(&settings, 1)->node_id, 4);
    done();
}
END_TEST

START_TEST(groups_are_lists_of_ranks_in_the_order_of_the_file)
{
    const cb_group_settings *group;

    take((texts){"group all { members = {7, 9, 3} }\ngroup one { members = 3 }",
                 "node b { id = 7 }\nnode a { id = 3 }\nnode beyond { id = 9 }", ""});
    group = cb_settings_group(&settings, "all");
    ck_assert_ptr_nonnull(group);
    ck_assert_uint_eq(group->count, 3);
    ck_assert_uint_eq(group->members[0], 0);
    ck_assert_uint_eq(group->members[1], 2);
    ck_assert_uint_eq(group->members[2], 1);
    ck_assert_uint_eq(cb_settings_group(&settings, "one")->count, 1);
    ck_assert_ptr_null(cb_settings_group(&settings, "none"));
    done();
}
END_TEST

START_TEST(the_name_of_the_technology_ignores_case)
{
    static const struct {
        const char *text, *technology;
    } known[] = {{"Technology = SCI", "sci"},
                 {"Technology = TCP", "tcp"},
                 {"Technology = \"udp\"", "udp"},
                 {"Technology = MPI", "mpi"}};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        take((texts){known[i].text, two_nodes, ""});
        ck_assert_str_eq(cb_config_technology_name(config), known[i].technology);
        ck_assert_str_eq(cb_config_technology_place(config), "DIR/network.conf:1");
        ck_assert_str_eq(messages, "");
        done();
    }
}
END_TEST

START_TEST(an_unknown_technology_is_sci_with_a_warning)
{
    take((texts){"\nTechnology = ATM", two_nodes, ""});
    ck_assert_str_eq(cb_config_technology_name(config), "sci");
    ck_assert_ptr_nonnull(strstr(messages, "warning: DIR/network.conf:2: Technology = ATM"));
    done();
}
END_TEST

START_TEST(kb_and_mb_are_powers_of_two)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } sizes[] = {{"65536", 65536},      {"64KB", 65536},   {"\"64 KB\"", 65536},
                 {"64kB", 65536},       {"64KiB", 65536},  {"65536B", 65536},
                 {"\"1 MB\"", 1048576}, {"1GB", 1u << 30}, {"64", 64}};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        char network[128];

        snprintf(network, sizeof(network), "SCI { send_buffer_size = %s }", sizes[i].text);
        take((texts){network, two_nodes, ""});
        ck_assert_uint_eq(sci_settings_of(&settings, 0)->send_buffer_size, sizes[i].bytes);
        done();
    }
}
END_TEST

static bool flag_of(const char *text)
{
    char network[128];
    bool flag;

    snprintf(network, sizeof(network), "SCI { use_send_pool = %s }", text);
    take((texts){network, two_nodes, ""});
    flag = sci_settings_of(&settings, 0)->use_send_pool;
    done();
    return flag;
}

START_TEST(zero_is_false_and_everything_else_is_true)
{
    static const char *const zeros[] = {"0", "00", "0x0", "0.0", "\"0\""};
    static const char *const others[] = {"1", "2", "-1", "0.5", "true", "yes", "0no", "\"\""};

    for (size_t i = 0; i < sizeof(zeros) / sizeof(zeros[0]); i++)
        ck_assert_msg(!flag_of(zeros[i]), "%s", zeros[i]);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        ck_assert_msg(flag_of(others[i]), "%s", others[i]);
}
END_TEST

START_TEST(a_word_that_means_no_is_true_with_a_warning)
{
    ck_assert(flag_of("1"));
    ck_assert_str_eq(messages, "");
    ck_assert(flag_of("False"));
    ck_assert_ptr_nonnull(strstr(messages, "warning: DIR/network.conf:1: use_send_pool = False"));
}
END_TEST

START_TEST(words_are_read_with_and_without_quotes)
{
    const cb_job job = {.ranks = 2, .largest_bytes = 1024, .held_buffers = 2};
    const ofi_settings *first, *second;
    cb_settings words;

    take((texts){"OFI { method = write provider = \"tcp;ofi_rxm\" domain = eth0 }",
                 "node a { id = 1 OFI { domain = 'a,b' } }\nnode b { id = 2 }", ""});
    ck_assert_int_eq(cb_config_settings(config, &job, &ofi_parameters, NULL, &words), CB_OK);
    first = cb_settings_values(&words, 0);
    second = cb_settings_values(&words, 1);
    ck_assert_uint_eq(first->method, OFI_METHOD_WRITE);
    ck_assert_str_eq(cb_parameter_text(second->provider), "tcp;ofi_rxm");
    ck_assert_str_eq(cb_parameter_text(first->domain), "a,b");
    ck_assert_str_eq(cb_parameter_text(second->domain), "eth0");
    cb_settings_free(&words);
    done();
}
END_TEST

/* Mistakes, each with the parts of its message that name place and remedy. */
typedef struct {
    texts source;
    const char *place, *remedy;
} mistake;

static void expect_refusals(const mistake *mistakes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const texts *source = &mistakes[i].source;

        ck_assert_msg(parse(*source) == CB_ERROR_USAGE, "taken: %s%s%s", source->network,
                      source->nodes, source->machines);
        ck_assert_msg(strstr(messages, mistakes[i].place) != NULL, "no '%s' in: %s",
                      mistakes[i].place, messages);
        ck_assert_msg(strstr(messages, mistakes[i].remedy) != NULL, "no '%s' in: %s",
                      mistakes[i].remedy, messages);
        ck_assert_ptr_eq(strchr(messages, '\n'), messages + strlen(messages) - 1);
    }
}

#define EXPECT_REFUSALS(...)                                                                       \
    do {                                                                                           \
        static const mistake mistakes[] = {__VA_ARGS__};                                           \
                                                                                                   \
        expect_refusals(mistakes, sizeof(mistakes) / sizeof(mistakes[0]));                         \
    } while (0)

START_TEST(an_unknown_name_is_refused_with_the_nearest_known_one)
{
    EXPECT_REFUSALS(
        {{"SCI {\n recv_bufer_no = 3 }", two_nodes, ""}, "DIR/network.conf:2:", "'recv_buffer_no'"},
        {{"technology = SCI", two_nodes, ""}, "DIR/network.conf:1:", "'Technology'"},
        {{"recv_bufer_no = 3", two_nodes, ""}, "'recv_buffer_no'", "Context SCI in network.conf"},
        {{"", "nod a { id = 1 }", ""}, "DIR/nodes.conf:1:", "'node'"},
        {{"", "node a {\n\n idd = 1 }", ""}, "DIR/nodes.conf:3:", "'id'"},
        {{"", two_nodes, "machin a { }"}, "DIR/machines.conf:1:", "'machine'"},
        {{"grup a { }", two_nodes, ""}, "DIR/network.conf:1:", "'group'"});
}
END_TEST

START_TEST(a_name_in_the_wrong_section_is_refused_with_the_right_one)
{
    EXPECT_REFUSALS(
        {{"SCI { node_id = 4 }", two_nodes, ""},
         "network.conf:1: unknown name 'node_id'",
         "machines.conf"},
        {{"recv_buffer_no = 3", two_nodes, ""}, "network.conf:1:", "Context SCI"},
        {{"", "SCI { }", ""}, "nodes.conf:1: unknown name 'SCI'", "network.conf"},
        {{"node a { id = 1 }", "", ""}, "network.conf:1: unknown name 'node'", "nodes.conf"},
        {{"", two_nodes, "machine a { id = 1 }"},
         "machines.conf:1: unknown name 'id'",
         "nodes.conf"},
        {{"", two_nodes, "machine a { SCI { recv_seg_id = 1 } }"},
         "unknown name 'recv_seg_id'",
         "nodes.conf"},
        {{"SCI { recv_seg_size = 1 MB }", two_nodes, ""}, "unknown name 'MB'", "without a blank"});
}
END_TEST

START_TEST(a_value_out_of_range_is_refused_with_the_range)
{
    EXPECT_REFUSALS(
        {{"SCI {\n\nmax_outst_buffers = 16 }", two_nodes, ""}, "network.conf:3:", "use 1 to 15"},
        {{"SCI { max_outst_buffers = 0 }", two_nodes, ""}, "max_outst_buffers = 0", "use 1 to 15"},
        {{"SCI { max_outst_buffers = x }", two_nodes, ""}, "max_outst_buffers = x", "use 1 to 15"},
        {{"SCI { recv_buffer_no = -1 }", two_nodes, ""}, "recv_buffer_no = -1", "use 1 to"},
        {{"SCI { recv_seg_size = 1parsec }", two_nodes, ""}, "network.conf:1:", "parsec"},
        {{"SCI { recv_seg_size = \"\" }", two_nodes, ""}, "network.conf:1:", "use 64"},
        {{"SCI { recv_buffer_size = 100 }", two_nodes, ""}, "network.conf:1:", "use 64 or 128"},
        {{"SCI { recv_buffer_size = 200 }", two_nodes, ""}, "network.conf:1:", "use 192 or 256"},
        {{"SCI { recv_seg_id = 4294967295 }", two_nodes, ""}, "recv_seg_id", "to 4294901760"},
        {{"", "node a { id = 4294967296 }", ""}, "nodes.conf:1: id =", "to 4294967295"},
        {{"", two_nodes, "machine a {\nSCI { node_id = 4294967295 } }"},
         "machines.conf:2: node_id",
         "to 65532"},
        {{"", two_nodes, "machine a {\nSCI { node_id = 0 } }"}, "machines.conf:2: node_id", "4 to"},
        {{"", two_nodes, "machine a {\nSCI { node_id = 6 } }"},
         "machines.conf:2: node_id = 6",
         "multiple of 4"},
        {{"", two_nodes, "machine a {\nSCI { node_id = 252 } }"},
         "machines.conf:2: node_id = 252",
         "all nodes"});
}
END_TEST

START_TEST(a_wrong_word_is_refused_with_the_choices)
{
    EXPECT_REFUSALS(
        {{"OFI {\nmethod = put }", two_nodes, ""},
         "network.conf:2: method = put",
         "use one of message, write"},
        {{"OFI { domain = '\x1b' }", two_nodes, ""}, "network.conf:1: domain =", "code 27"},
        {{"", "node a { id = 1 OFI {\nmethod = write } }", ""},
         "nodes.conf:2: unknown name 'method'",
         "Context OFI in network.conf"});
}
END_TEST

START_TEST(a_setting_given_twice_is_refused)
{
    EXPECT_REFUSALS(
        {{"Technology = SCI\nTechnology = TCP", two_nodes, ""}, "network.conf:2:", "in line 1"},
        {{"SCI { recv_seg_id = 1\nrecv_seg_id = 2 }", two_nodes, ""}, "network.conf:2:", "line 1"},
        {{"SCI { }\nSCI { }", two_nodes, ""}, "network.conf:2: the Context SCI", "put both"},
        {{"", "node a { id = 1 }\nnode a { id = 2 }", ""}, "nodes.conf:2:", "'a'"},
        {{"", "node a { id = 1 }\nnode b { id = 1 }", ""},
         "nodes.conf:2: id = 1 of the node 'b'",
         "'a' in line 1"},
        {{"", two_nodes, "machine a { }\nmachine a { }"}, "machines.conf:2:", "'a'"},
        {{"group a { members = 1 }\ngroup a { members = 2 }", two_nodes, ""},
         "network.conf:2:",
         "'a'"},
        {{"group a { members = {1}\nmembers = {2} }", two_nodes, ""}, "network.conf:2:", "line 1"});
}
END_TEST

START_TEST(references_to_unknown_nodes_or_machines_are_refused)
{
    EXPECT_REFUSALS(
        {{"", "node a { id = 1\nmachine = pc3 }", "machine pc1 { }"},
         "nodes.conf:2: machine = pc3",
         "'pc1'"},
        {{"", "node a { id = 1 machine = pc3 }", ""}, "nodes.conf:1:", "which has none"},
        {{"group a {\nmembers = {1, 5} }", two_nodes, ""}, "network.conf:2: member 5", "add such"},
        {{"group a {\nmembers = {x} }", two_nodes, ""}, "network.conf:2: member 'x'", "use 0 to"},
        {{"group a {\nmembers = {} }", two_nodes, ""},
         "network.conf:2: the group 'a'",
         "members ="},
        {{"", "node a {\n\n}", ""}, "nodes.conf:3: the node 'a'", "write id"});
}
END_TEST

START_TEST(wrong_syntax_is_refused_with_its_line)
{
    EXPECT_REFUSALS({{"\nSCI {", two_nodes, ""}, "network.conf:2:", "not closed"},
                    {{"", "\n\nnode a { id = 1 } }", ""}, "nodes.conf:3:", "closes nothing"},
                    {{"", "/* x\n*/\nnode a { id 1 }", ""}, "nodes.conf:3:", "combench-config(5)"},
                    {{"", "# x\nnode { id = 1 }", ""}, "nodes.conf:2:", "combench-config(5)"},
                    {{"", two_nodes, "// x\n\nmachine a { SCI = 4 }"},
                     "machines.conf:3:",
                     "combench-config(5)"});
}
END_TEST

START_TEST(fewer_nodes_than_ranks_are_refused)
{
    EXPECT_REFUSALS({{"", "node a { id = 1 }", ""}, "DIR/nodes.conf has 1 nodes", "needs 2 nodes"},
                    {{"", "", ""}, "DIR/nodes.conf has 0 nodes", "needs 2 nodes"});
}
END_TEST

START_TEST(areas_that_exceed_the_segment_are_refused_with_the_size_needed)
{
    EXPECT_REFUSALS(
        {{"SCI {\nrecv_seg_size = 1048512 }", two_nodes, ""},
         "network.conf:2: recv_seg_size",
         "recv_seg_size = 1048576 or more"},
        {{"SCI { recv_buffer_no = 128 }", two_nodes, ""},
         "recv_seg_size = 1048576, the default",
         "recv_seg_size = 1056768 or more"},
        {{"", "node a { id = 1 }\nnode b { id = 2\nSCI {\nrecv_buffer_size = 16KB } }", ""},
         "nodes.conf:4: recv_seg_size",
         "recv_seg_size = 2088960 or more"},
        {{"SCI { inline_area_size = 64 }", two_nodes, ""},
         "inline_area_size 64",
         "recv_seg_size = 1048640 or more"});
}
END_TEST

START_TEST(too_few_buffers_for_the_job_are_refused_with_the_number_needed)
{
    EXPECT_REFUSALS(
        {{"SCI {\nrecv_buffer_no = 2 }", two_nodes, ""},
         "network.conf:2: recv_buffer_no = 2",
         "recv_buffer_no = 3 or more"},
        /* a needs as many receive buffers as b may have outstanding */
        {{"SCI { recv_buffer_no = 3 }",
          "node a { id = 1 }\nnode b { id = 2\nSCI { max_outst_buffers = 5 } }", ""},
         "for the node 'a'",
         "recv_buffer_no = 7 or more"},
        {{"SCI { max_outst_buffers = 2 inline_area_size = 64 recv_buffer_no = 9 }", two_nodes, ""},
         "inline_area_size = 64",
         "inline_area_size = 128 or more"});
}
END_TEST

static cb_status settings_for(size_t ranks)
{
    cb_job job = {.ranks = ranks, .held_buffers = 2};
    cb_status status = cb_config_settings(config, &job, &sci_parameters, NULL, &settings);

    if (status == CB_OK)
        cb_settings_free(&settings);
    return status;
}

/* The text of `count` nodes. */
static char *many_nodes(size_t count)
{
    char *text = malloc(count * 32 + 1);
    size_t length = 0;

    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < count; i++)
        length += (size_t)sprintf(text + length, "node n%zu { id = %zu }\n", i, i);
    return text;
}

START_TEST(the_defaults_support_at_most_126_ranks)
{
    char *nodes = many_nodes(200);

    ck_assert_int_eq(parse_quietly((texts){"", nodes, ""}), CB_OK);
    cb_log_silence(true);
    ck_assert_int_eq(settings_for(126), CB_OK);
    ck_assert_int_eq(settings_for(127), CB_ERROR_USAGE);
    cb_config_free(config);
    free(nodes);
}
END_TEST

START_TEST(a_header_area_that_is_exactly_full_is_accepted)
{
    char *nodes = many_nodes(4);

    ck_assert_int_eq(parse_quietly((texts){"SCI { header_area_size = 128 }", nodes, ""}), CB_OK);
    cb_log_silence(true);
    ck_assert_int_eq(settings_for(3), CB_OK);
    ck_assert_int_eq(settings_for(4), CB_ERROR_USAGE);
    cb_config_free(config);
    free(nodes);
}
END_TEST

/* Files */

static char folder[] = "/tmp/test_context.XXXXXX";

static void write_file(cb_file file, const char *text)
{
    char path[128];
    FILE *stream;

    snprintf(path, sizeof(path), "%s/%s", folder, cb_file_names[file]);
    stream = fopen(path, "w");
    ck_assert_ptr_nonnull(stream);
    fputs(text, stream);
    fclose(stream);
}

static void remove_folder(void)
{
    char path[128];

    for (size_t file = 0; file < CB_FILES; file++) {
        snprintf(path, sizeof(path), "%s/%s", folder, cb_file_names[file]);
        unlink(path);
    }
    rmdir(folder);
}

START_TEST(all_files_of_a_directory_are_read)
{
    cb_config_texts loaded;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    write_file(CB_FILE_NETWORK, "Technology = TCP");
    write_file(CB_FILE_NODES, two_nodes);
    write_file(CB_FILE_MACHINES, "");
    ck_assert_int_eq(cb_config_load(folder, &loaded), CB_OK);
    ck_assert_uint_eq(loaded.bytes[CB_FILE_NODES], strlen(two_nodes));
    ck_assert_uint_eq(loaded.bytes[CB_FILE_MACHINES], 0);
    ck_assert_int_eq(
        cb_config_parse(folder, &loaded, known_technologies, KNOWN_TECHNOLOGIES, &config), CB_OK);
    ck_assert_str_eq(cb_config_technology_name(config), "tcp");
    cb_config_free(config);
    cb_config_texts_free(&loaded);
    remove_folder();
}
END_TEST

START_TEST(a_missing_file_is_refused)
{
    cb_config_texts loaded;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    write_file(CB_FILE_NETWORK, "");
    write_file(CB_FILE_NODES, two_nodes);
    cb_log_silence(true);
    ck_assert_int_eq(cb_config_load(folder, &loaded), CB_ERROR_USAGE);
    ck_assert_ptr_null(loaded.text[CB_FILE_NETWORK]);
    remove_folder();
}
END_TEST

START_TEST(a_directory_in_place_of_a_file_is_refused)
{
    cb_config_texts loaded;

    cb_log_silence(true);
    ck_assert_int_eq(cb_config_load("/dev", &loaded), CB_ERROR_USAGE);
    ck_assert_int_eq(cb_config_load("/dev/null", &loaded), CB_ERROR_USAGE);
}
END_TEST

UNIT_MAIN("context", empty_files_give_the_defaults_of_note_48,
          the_defaults_fill_the_segment_exactly,
          node_values_override_top_values_and_those_the_defaults,
          rank_r_is_the_rth_node_with_its_names_and_machine,
          groups_are_lists_of_ranks_in_the_order_of_the_file,
          the_name_of_the_technology_ignores_case, an_unknown_technology_is_sci_with_a_warning,
          kb_and_mb_are_powers_of_two, zero_is_false_and_everything_else_is_true,
          a_word_that_means_no_is_true_with_a_warning, words_are_read_with_and_without_quotes,
          an_unknown_name_is_refused_with_the_nearest_known_one,
          a_name_in_the_wrong_section_is_refused_with_the_right_one,
          a_value_out_of_range_is_refused_with_the_range, a_wrong_word_is_refused_with_the_choices,
          a_setting_given_twice_is_refused, references_to_unknown_nodes_or_machines_are_refused,
          wrong_syntax_is_refused_with_its_line, fewer_nodes_than_ranks_are_refused,
          areas_that_exceed_the_segment_are_refused_with_the_size_needed,
          too_few_buffers_for_the_job_are_refused_with_the_number_needed,
          the_defaults_support_at_most_126_ranks, a_header_area_that_is_exactly_full_is_accepted,
          all_files_of_a_directory_are_read, a_missing_file_is_refused,
          a_directory_in_place_of_a_file_is_refused)
