"""What of a frame is personal, and what is shown, exported and kept of it."""
