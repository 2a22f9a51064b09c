"""How the weights of `keyless` are fitted, and how good they are on questions that they were not fitted on."""
