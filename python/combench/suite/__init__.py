"""combench run: runs the measurements of a plan."""
