"""The ledger: what the arena did that people must be able to hold it to, in a tree that cannot be rewritten unseen."""
