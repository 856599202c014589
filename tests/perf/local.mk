# make perf: ratios against bare references measured in the same run. Not part of make check.
