/* Runs the cells of state tables. */
#include "tests/sisci/states.h"

void try_cell(const state *before, const call *tried, sci_error_t expected)
{
    world here = {.sd = begin()};
    sci_error_t error;

    before->enter(&here);
    error = tried->make(&here);
    ck_assert_msg(error == expected, "%s, %s: '%s' and not '%s'", before->name, tried->name,
                  SCIGetErrorString(error), SCIGetErrorString(expected));
    SCITerminate();
}

sci_error_t close_device(world *here)
{
    sci_error_t error;

    SCIClose(here->sd, 0, &error);
    return error;
}
