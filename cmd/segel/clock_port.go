//go:build !clockfault

package main

import "time"

// systemClock returns the clock of the program. There is no way to set it but setting that of the machine.
func systemClock() func() time.Time { return time.Now }
