"""Result formats: what they are called, whether a body is whole, what is in it, and turning one into another."""

from proxy.results.check import checked
from proxy.results.formats import Format
from proxy.results.sniff import sniff
from proxy.results.transcode import can_transcode, rows, transcoded

__all__ = ["Format", "can_transcode", "checked", "rows", "sniff", "transcoded"]
