/* Writes the table of columns as JSON, for test_columns.py. */
#include <stdio.h>

#include "report/columns.h"

int main(void)
{
    report_stream out = report_stream_begin(stdout);

    report_describe_columns(&out, "columns");
    report_stream_end(&out);
    return ferror(stdout) != 0 || fclose(stdout) != 0;
}
