"""How the files of each format become rows."""
