/* Start and end of libsisci-shm, devices, errors, environment, queries. */
#include "tests/sisci/fixture.h"

#include <stdlib.h>
#include <string.h>

START_TEST(opening_needs_an_initialised_library)
{
    sci_error_t error;
    sci_desc_t sd;

    SCIOpen(&sd, 0, &error);
    ck_error(error, SCI_ERR_NOT_INITIALIZED);
}
END_TEST

START_TEST(initialisations_and_terminations_are_counted)
{
    sci_error_t error;
    sci_desc_t sd = begin();
    unsigned node;

    SCIClose(sd, 0, &error);
    ck_ok(error);
    SCIInitialize(0, &error);
    ck_ok(error);
    SCITerminate();
    SCIGetLocalNodeId(0, &node, 0, &error);
    ck_ok(error);
    SCITerminate();
    SCIGetLocalNodeId(0, &node, 0, &error);
    ck_error(error, SCI_ERR_NOT_INITIALIZED);
}
END_TEST

START_TEST(the_library_can_be_started_again)
{
    begin();
    SCITerminate();
    begin();
    SCITerminate();
}
END_TEST

START_TEST(termination_closes_open_resources)
{
    sci_desc_t sd = begin();
    sci_local_segment_t segment = offer(sd, 1, 64);
    sci_map_t local, remote;

    map_local(segment, &local);
    map_remote(reach(sd, SCI_LOCAL_HOST, 1), &remote);
    watch(remote);
    SCITerminate();
    offer(begin(), 1, 64);
}
END_TEST

START_TEST(a_device_with_resources_is_busy)
{
    sci_desc_t sd = begin();
    sci_local_segment_t segment = offer(sd, 1, 64);
    sci_error_t error;

    SCIClose(sd, 0, &error);
    ck_error(error, SCI_ERR_BUSY);
    SCIRemoveSegment(segment, 0, &error);
    ck_ok(error);
    SCIClose(sd, 0, &error);
    ck_ok(error);
}
END_TEST

START_TEST(a_flag_of_another_function_is_illegal)
{
    sci_error_t error;
    sci_desc_t sd;

    SCIInitialize(SCI_FLAG_NOTIFY, &error);
    ck_error(error, SCI_ERR_ILLEGAL_FLAG);
    begin();
    SCIOpen(&sd, SCI_FLAG_BROADCAST, &error);
    ck_error(error, SCI_ERR_ILLEGAL_FLAG);
}
END_TEST

static void check_start(const char *variable, const char *value, sci_error_t wanted)
{
    sci_error_t error;

    setenv(variable, value, 1);
    SCIInitialize(0, &error);
    ck_error(error, wanted);
    unsetenv(variable);
}

START_TEST(a_job_name_with_invalid_characters_is_refused)
{
    check_start("SISCI_SHM_JOB", "a.b", SCI_ERR_ILLEGAL_PARAMETER);
    check_start("SISCI_SHM_JOB", "a/b", SCI_ERR_ILLEGAL_PARAMETER);
    check_start("SISCI_SHM_JOB",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                SCI_ERR_ILLEGAL_PARAMETER);
}
END_TEST

START_TEST(a_node_that_is_no_multiple_of_4_is_refused)
{
    check_start("SISCI_SHM_NODE", "6", SCI_ERR_ILLEGAL_NODEID);
    check_start("SISCI_SHM_NODE", "0", SCI_ERR_ILLEGAL_NODEID);
    check_start("SISCI_SHM_NODE", "four", SCI_ERR_ILLEGAL_NODEID);
    check_start("SISCI_SHM_NODE", "65536", SCI_ERR_ILLEGAL_NODEID);
}
END_TEST

START_TEST(the_broadcast_node_id_is_refused)
{
    check_start("SISCI_SHM_NODE", "252", SCI_ERR_ILLEGAL_NODEID);
}
END_TEST

START_TEST(invalid_fault_settings_are_refused)
{
    check_start("SISCI_SHM_FAULTS", "drop", SCI_ERR_ILLEGAL_PARAMETER);
    check_start("SISCI_SHM_FAULTS", "drop=2", SCI_ERR_ILLEGAL_PARAMETER);
    check_start("SISCI_SHM_FAULTS", "loss=0.1", SCI_ERR_ILLEGAL_PARAMETER);
    check_start("SISCI_SHM_FAULTS", "seed=7;drop=0.1", SCI_ERR_ILLEGAL_PARAMETER);
    check_start("SISCI_SHM_FAULTS", "reorder=0.5", SCI_ERR_ILLEGAL_PARAMETER);
    check_start("SISCI_SHM_FAULTS", "drop=0.6,tear=0.6", SCI_ERR_ILLEGAL_PARAMETER);
    check_start("SISCI_SHM_FAULTS", "drop=nan", SCI_ERR_ILLEGAL_PARAMETER);
}
END_TEST

START_TEST(all_fault_settings_are_accepted)
{
    check_start("SISCI_SHM_FAULTS",
                "seed=0x7,drop=0.01,tear=1e-3,pending=0.5,cut=.1,lose=0,reorder=1", SCI_ERR_OK);
}
END_TEST

START_TEST(the_node_id_is_that_of_the_environment)
{
    sci_error_t error;
    unsigned node;

    setenv("SISCI_SHM_NODE", "16", 1);
    begin();
    SCIGetLocalNodeId(0, &node, 0, &error);
    ck_ok(error);
    ck_assert_uint_eq(node, 16);
}
END_TEST

START_TEST(there_is_one_adapter)
{
    sci_error_t error;
    unsigned node;

    begin();
    SCIGetLocalNodeId(1, &node, 0, &error);
    ck_error(error, SCI_ERR_NO_SUCH_ADAPTERNO);
    SCIGetLocalNodeId(1000, &node, 0, &error);
    ck_error(error, SCI_ERR_ILLEGAL_ADAPTERNO);
}
END_TEST

START_TEST(a_node_without_processes_does_not_answer_a_probe)
{
    sci_desc_t sd = begin();
    sci_error_t error;

    ck_assert_int_eq(SCIProbeNode(sd, 0, 4, 0, &error), 1);
    ck_ok(error);
    ck_assert_int_eq(SCIProbeNode(sd, 0, 8, 0, &error), 0);
    ck_error(error, SCI_ERR_NO_SUCH_NODEID);
    ck_assert_int_eq(SCIProbeNode(sd, 0, 5, 0, &error), 0);
    ck_error(error, SCI_ERR_ILLEGAL_NODEID);
}
END_TEST

static int stay(helper *test, const void *unused)
{
    (void)unused;
    begin();
    tell(test, 'r');
    expect(test, 'q');
    SCITerminate();
    return 0;
}

START_TEST(a_probe_finds_a_process_of_another_node)
{
    helper other = helper_start(stay, NULL, 8);
    sci_desc_t sd = begin();
    sci_error_t error;

    expect(&other, 'r');
    ck_assert_int_eq(SCIProbeNode(sd, 0, 8, 0, &error), 1);
    tell(&other, 'q');
    helper_finish(&other);
    ck_assert_int_eq(SCIProbeNode(sd, 0, 8, 0, &error), 0);
}
END_TEST

START_TEST(vendor_and_interface_version_can_be_queried)
{
    sci_query_string_t query;
    char text[64];
    sci_error_t error;

    begin();
    query.str = text;
    query.length = sizeof(text);
    SCIQuery(SCI_Q_VENDORID, &query, 0, &error);
    ck_ok(error);
    ck_assert_ptr_nonnull(strstr(text, "shared memory"));
    SCIQuery(SCI_Q_API, &query, 0, &error);
    ck_ok(error);
    ck_assert_str_eq(text, "SISCI API 2");
}
END_TEST

START_TEST(a_queried_text_is_cut_to_its_buffer)
{
    char text[] = "12345";
    sci_query_string_t query = {.str = text, .length = 4};
    sci_error_t error;

    begin();
    SCIQuery(SCI_Q_API, &query, 0, &error);
    ck_ok(error);
    ck_assert_str_eq(text, "SIS");
    ck_assert_int_eq(text[4], '5');
}
END_TEST

START_TEST(the_adapter_reports_node_and_alignment)
{
    unsigned answer = 0;
    sci_query_adapter_t query = {.data = &answer};
    sci_error_t error;

    begin();
    query.subcommand = SCI_Q_ADAPTER_NODEID;
    SCIQuery(SCI_Q_ADAPTER, &query, 0, &error);
    ck_ok(error);
    ck_assert_uint_eq(answer, 4);
    query.subcommand = SCI_Q_ADAPTER_DMA_SIZE_ALIGNMENT;
    SCIQuery(SCI_Q_ADAPTER, &query, 0, &error);
    ck_ok(error);
    ck_assert_uint_eq(answer, 4);
    query.localAdapterNo = 1;
    SCIQuery(SCI_Q_ADAPTER, &query, 0, &error);
    ck_error(error, SCI_ERR_NO_SUCH_ADAPTERNO);
}
END_TEST

START_TEST(an_unknown_query_is_illegal)
{
    unsigned answer = 0;
    sci_query_adapter_t query = {.subcommand = 1000, .data = &answer};
    sci_error_t error;

    begin();
    SCIQuery(1000, &query, 0, &error);
    ck_error(error, SCI_ERR_ILLEGAL_QUERY);
    SCIQuery(SCI_Q_ADAPTER, &query, 0, &error);
    ck_error(error, SCI_ERR_ILLEGAL_QUERY);
}
END_TEST

START_TEST(every_error_has_a_name)
{
    ck_assert_int_eq(strncmp(SCIGetErrorString(SCI_ERR_BUSY), "SCI_ERR_BUSY:", 13), 0);
    ck_assert_int_eq(
        strncmp(SCIGetErrorString(SCI_ERR_TRANSFER_FAILED), "SCI_ERR_TRANSFER_FAILED:", 24), 0);
    ck_assert_ptr_nonnull(SCIGetErrorString((sci_error_t)1));
}
END_TEST

UNIT_MAIN("sisci library", opening_needs_an_initialised_library,
          initialisations_and_terminations_are_counted, the_library_can_be_started_again,
          termination_closes_open_resources, a_device_with_resources_is_busy,
          a_flag_of_another_function_is_illegal, a_job_name_with_invalid_characters_is_refused,
          a_node_that_is_no_multiple_of_4_is_refused, the_broadcast_node_id_is_refused,
          invalid_fault_settings_are_refused, all_fault_settings_are_accepted,
          the_node_id_is_that_of_the_environment, there_is_one_adapter,
          a_node_without_processes_does_not_answer_a_probe, a_probe_finds_a_process_of_another_node,
          vendor_and_interface_version_can_be_queried, a_queried_text_is_cut_to_its_buffer,
          the_adapter_reports_node_and_alignment, an_unknown_query_is_illegal,
          every_error_has_a_name)
