"""What a person must see of a change, whatever tests and judges say: one file a family. Pure."""
