"""Pure knowledge of text: words, times, likeness, names, fences, front matter. Reads no file and keeps no state."""
