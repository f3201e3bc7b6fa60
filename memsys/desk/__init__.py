"""The desk: the staff's pages in the Django admin."""
