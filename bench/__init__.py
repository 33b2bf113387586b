"""The driver: plan → build → verify → measure → record. It knows no codec and no scenario by name."""
