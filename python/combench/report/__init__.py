"""combench report: results as one HTML page with pictures."""
