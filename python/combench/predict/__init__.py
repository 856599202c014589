"""combench predict and combench validate: the model of communication, and how far off it is."""
