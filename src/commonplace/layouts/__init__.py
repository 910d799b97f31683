"""Layouts as data, and the codecs that read and write the files a layout has."""
