"""What every connector has to keep, as functions that put any implementation through it."""
