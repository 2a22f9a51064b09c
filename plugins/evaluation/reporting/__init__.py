"""The report of a run: tables laid out as in the papers, with what was left out and how sure the figures are."""
