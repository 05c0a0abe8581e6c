"""Where results go: one connector a format."""
