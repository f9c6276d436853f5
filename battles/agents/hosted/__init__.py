"""Agents whose decisions come from a hosted model, over each provider's official library."""
