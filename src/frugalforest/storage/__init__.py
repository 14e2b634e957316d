"""What is kept: files that appear whole, databases with checksums, records, text; memory."""
