"""One task's fetching: a host's turn after another's, many hosts at a time, in bounded memory."""
