"""combench run: from a plan to measurements."""
