# Tests of the programs as users start them: results, bad input, faults.
