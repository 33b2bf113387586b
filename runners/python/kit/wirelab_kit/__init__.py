"""The kit of the Python runners: the runner protocol around one codec, which is `serve`d from its own file.

A runner imports what its codec imports and what the one scenario needs, so that start-up and base memory are
those of the library: Pydantic comes in with models, NumPy with arrays.
"""

from wirelab_kit.codec import Arrays, Codec, Copy, Native, Objects
from wirelab_kit.program import serve

__all__ = ["Arrays", "Codec", "Copy", "Native", "Objects", "serve"]
