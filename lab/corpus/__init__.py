"""What Bouncer says of many reports, changes and a demo, recorded by its command line, and compared with what another
checkout says."""
