"""combench compare and combench parkbench: comparison of runs and of programs."""
