"""Other readers of SPARQL, to compare ours with."""
