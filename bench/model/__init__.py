"""The data that crosses boundaries, as plain frozen values, one subject per module."""
