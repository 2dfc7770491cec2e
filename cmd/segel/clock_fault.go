//go:build clockfault

package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// systemClock returns the clock of a program for fault tests: the machine's, ahead by the duration in the file that FAULT_CLOCK_OFFSET names, such as
// -3h5m. The file is read each time, so that the clock of one process jumps while those of others do not. A release is built without this file.
func systemClock() func() time.Time {
	file := os.Getenv("FAULT_CLOCK_OFFSET")
	if file == "" {
		return time.Now
	}
	return func() time.Time {
		text, err := os.ReadFile(file)
		offset, parseErr := time.ParseDuration(strings.TrimSpace(string(text)))
		if err != nil || parseErr != nil {
			panic(fmt.Sprintf("offset of the clock: %v, %v", err, parseErr)) // a test that does not do what it says must not pass
		}
		return time.Now().Add(offset)
	}
}
