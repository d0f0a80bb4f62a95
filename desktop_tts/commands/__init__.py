"""What the command line's words do, a file per group. Each function returns an exit code."""
