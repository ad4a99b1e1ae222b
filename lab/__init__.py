"""The laboratory: benchmarks, readers of data, training, and the fitting of calibrations."""
