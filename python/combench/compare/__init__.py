"""combench compare and combench parkbench: runs and programs side by side."""
