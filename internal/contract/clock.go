package contract

import "time"

// ClockTolerance is how far other clocks may be from the local one where nothing else is configured. Clocks that are kept by
// NTP differ by less than a second, and an answer from the network is late by some seconds at most. Beyond two minutes
// something is wrong.
const ClockTolerance = 2 * time.Minute
