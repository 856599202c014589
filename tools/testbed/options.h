/* The command line of testbed, whose parameters are a testbed_settings. */
#ifndef TOOLS_TESTBED_OPTIONS_H
#define TOOLS_TESTBED_OPTIONS_H

#include "base/options.h"
#include "tools/testbed/testbed.h"

extern const cb_option_table testbed_options;

#endif
