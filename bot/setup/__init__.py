"""From nothing to an App: pages that walk through GitHub's manifest flow, and what keeps strangers off them."""
