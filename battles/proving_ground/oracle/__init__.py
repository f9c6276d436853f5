"""The oracle: policies written for single tasks, which show what the verbs can do. Known to the proving ground only."""
