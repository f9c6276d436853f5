"""The REST API: what all its addresses share, and those that stand on the whole site."""
