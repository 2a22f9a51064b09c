"""Damage answers in every way and see whether it is noticed."""
