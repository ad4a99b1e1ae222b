"""What people did with Bouncer's verdicts on a server, read from its database and counted: reports and dashboards."""
