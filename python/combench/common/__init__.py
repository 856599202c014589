"""What all verbs share: errors, documents, figures, statistics, what users write."""
