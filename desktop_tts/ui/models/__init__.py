"""What the Models page is made of: a card for each model, how they run, how fast they are."""
