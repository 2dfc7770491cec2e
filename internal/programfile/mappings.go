// Package programfile gives back the memory that pages of the program's file take.
package programfile

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// mapping is a part of the address space, from start up to but not including end.
type mapping struct{ start, end uintptr }

// readUnmodified reads smaps, the text of /proc/PID/smaps, and returns the private mappings of the file program that cannot be written to and are as
// the file is. A mapping that the loader wrote to before it protected it has anonymous pages, whose content would be lost with them. Pages that are
// locked cannot be given back, so their mappings are left out too.
func readUnmodified(smaps io.Reader, program string) ([]mapping, error) {
	var found []mapping
	var current mapping
	considered := false
	anonymous, locked := int64(-1), int64(-1) // not stated yet
	finish := func() {
		if considered && anonymous == 0 && locked == 0 {
			found = append(found, current)
		}
	}
	lines := bufio.NewScanner(smaps)
	for lines.Scan() {
		// "Anonymous:             0 kB" describes the mapping of the last line such as
		// "00400000-0140e000 r-xp 00001000 fe:00 1234    /usr/bin/segel".
		field, value, _ := strings.Cut(lines.Text(), " ")
		if name, ok := strings.CutSuffix(field, ":"); ok {
			var err error
			switch name {
			case "Anonymous":
				anonymous, err = readSize(value)
			case "Locked":
				locked, err = readSize(value)
			}
			if err != nil {
				return nil, fmt.Errorf("read %s of a mapping: %w", name, err)
			}
			continue
		}
		finish()
		considered, anonymous, locked = false, -1, -1
		parts := strings.SplitN(value, " ", 5) // mode, offset, device, inode, and the path after more spaces
		if len(parts) < 5 {
			continue
		}
		if mode := parts[0]; (mode != "r--p" && mode != "r-xp") || strings.TrimLeft(parts[4], " ") != program {
			continue
		}
		from, to, _ := strings.Cut(field, "-")
		start, err := strconv.ParseUint(from, 16, strconv.IntSize)
		if err != nil {
			return nil, fmt.Errorf("read start of a mapping: %w", err)
		}
		end, err := strconv.ParseUint(to, 16, strconv.IntSize)
		if err != nil {
			return nil, fmt.Errorf("read end of a mapping: %w", err)
		}
		if end <= start {
			return nil, fmt.Errorf("the mapping %s has no bytes", field)
		}
		considered, current = true, mapping{uintptr(start), uintptr(end)}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	finish()
	return found, nil
}

// readSize reads a size such as "    12 kB".
func readSize(value string) (int64, error) {
	return strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
}
