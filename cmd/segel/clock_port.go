//go:build !clockfault

package main

import "time"

// systemClock returns the clock of the program. Only setting the clock of the machine moves it.
func systemClock() func() time.Time { return time.Now }
