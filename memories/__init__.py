"""memories: what is remembered of a relationship, from message to memory."""
