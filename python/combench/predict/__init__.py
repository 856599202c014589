"""combench predict and combench validate: predictions of the model and their error."""
