package conformance

import "time"

// SetPatience lets tests of the suite fail sooner than the suite itself.
func SetPatience(d time.Duration) { patience = d }
