"""What a server needs to be told before it can work: the model, the formats that declare it, its rules."""
