"""Java's date-time patterns: taken apart, printed by, read by."""
