"""The driver of combench: runs plans of benchmarks and evaluates their results."""
