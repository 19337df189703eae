"""What parking costs."""
