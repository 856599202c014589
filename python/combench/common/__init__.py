"""What all verbs share: errors, documents, figures, statistics, parsers of values."""
