"""Generated Markdown: RESULTS.md, and the pages below results/ that it links to."""
