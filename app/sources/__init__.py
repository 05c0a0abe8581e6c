"""Where rows come from: one connector a format."""
