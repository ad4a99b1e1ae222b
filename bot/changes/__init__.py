"""What a change consists of, read from its diff. Pure; knows neither GitHub nor judges."""
