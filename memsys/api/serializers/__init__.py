"""What goes in and what comes out, apart from each other."""
