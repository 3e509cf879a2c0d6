"""Source files, translated into the small language in which programs are followed."""
