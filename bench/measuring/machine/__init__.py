"""The machine while it measures: the processor that processes are pinned to, and how calm it is."""
