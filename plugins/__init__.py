"""Plugins of the proxy: each is one idea, switched on by the ordered list in the configuration."""
