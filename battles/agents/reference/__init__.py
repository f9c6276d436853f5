"""Reference agents: honest baselines without a model. They know nothing of any site."""
