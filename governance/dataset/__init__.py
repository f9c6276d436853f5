"""Dataset snapshots: chosen under consent, redacted, written whole, and replaced when somebody withdraws."""
