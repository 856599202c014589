"""combench report: results as one page, with pictures."""
