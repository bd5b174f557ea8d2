"""What a person sees: terminals, pictures and printed pages."""
