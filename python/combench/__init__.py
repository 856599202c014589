"""The driver of the suite: runs plans of measurements, and what is made of their results."""
