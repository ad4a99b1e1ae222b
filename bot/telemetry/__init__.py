"""What a server tells those who run it: logs, metrics, traces. It decides nothing, and nothing secret leaves by it."""
