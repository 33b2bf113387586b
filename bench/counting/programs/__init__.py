"""Programs without running a cell: their sizes, packages and clean builds."""
