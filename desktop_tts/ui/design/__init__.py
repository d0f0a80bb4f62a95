"""What the Design page is made of: draws of a voice from a description, and keeping one."""
