"""A SPARQL proxy. It knows nothing of schemas or language models and never imports plugins."""

__version__ = "0.1.0"
