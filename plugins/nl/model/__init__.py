"""The language model: any OpenAI-compatible server, seen as one that chooses an action, or fills or writes a text."""
