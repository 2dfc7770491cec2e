package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"segel/internal/config"
	"segel/internal/programfile"
)

const (
	// conversionMemory is the memory of one conversion in a separate process, see config.Config.MaxConversions.
	conversionMemory = 512 << 20
	// leastMemoryLimit is the smallest limit that is set. Below it the garbage collector would run constantly without benefit.
	leastMemoryLimit = 128 << 20
)

// limitMemory sets a soft limit on the memory of the process unless GOMEMLIMIT does: 70 percent of the memory of the machine or
// the control group, less the memory of conversions. Near the limit the garbage collector works harder. The limit does not
// bound memory by itself: the limits on requests do. limitMemory returns the limit, or 0 if it set none.
func limitMemory(root fs.FS, env []string, conf config.Config) (int64, error) {
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, "GOMEMLIMIT="); ok && value != "" {
			return 0, nil // package runtime has read it
		}
	}
	all, err := readMemoryLimit(root)
	if err != nil {
		return 0, err
	}
	limit := all/10*7 - reservedForConversions(conf)
	limit = max(limit, all/4, leastMemoryLimit)
	debug.SetMemoryLimit(limit)
	return limit, nil
}

// collectorPercent is the growth of the heap, in percent of what was in use, after which the garbage collector runs. It is twice the
// default of package runtime: the service has little in use beside what it allocates for a request.
const collectorPercent = 200

// setCollectorPercent sets collectorPercent unless GOGC is set. The memory limit makes the collector run earlier.
func setCollectorPercent(env []string) {
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, "GOGC="); ok && value != "" {
			return // package runtime has read it
		}
	}
	debug.SetGCPercent(collectorPercent)
}

// idleAfter is the time after which a service that was started has done what only the start does.
const idleAfter = 10 * time.Second

// releaseStartMemory gives back the memory that only the start needed, once the start is over, unless ctx ends before: garbage, and pages of the
// program's file. The pages are kept where that is impossible, and nothing else changes.
func (a *app) releaseStartMemory(ctx context.Context) {
	timer := time.NewTimer(idleAfter)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return
	case <-timer.C:
	}
	debug.FreeOSMemory() // first, because it uses pages of the file
	if err := programfile.ReleasePages(); err != nil {
		a.log.DebugContext(ctx, "pages of the program that the start needed stay in memory", "error", err)
	}
}

// reservedForConversions returns the memory of all concurrent conversions on this machine.
func reservedForConversions(conf config.Config) int64 {
	if conf.Convert == config.ConvertOff || strings.Contains(conf.Convert, "://") {
		return 0
	}
	return int64(conf.MaxConversions) * conversionMemory
}

// readMemoryLimit reads the bytes of memory available to the process according to the machine and its control groups, version 2 or
// 1. Root is the root of the file system.
func readMemoryLimit(root fs.FS) (int64, error) {
	info, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0, fmt.Errorf("read memory of the machine: %w", err)
	}
	all, err := memTotal(info)
	if err != nil {
		return 0, err
	}
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read control groups: %w", err)
	}
	for line := range strings.Lines(string(groups)) {
		// "0::/path" in version 2, "5:cpu,memory:/path" in version 1.
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		folder, file := "sys/fs/cgroup", "memory.max"
		switch {
		case parts[0] == "0" && parts[1] == "":
		case strings.Contains(","+parts[1]+",", ",memory,"):
			folder, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		// The groups above limit a group too. In a container the path may be that of the host, and the group the root.
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			if limit, ok := groupLimit(root, path.Join(folder, group, file)); ok {
				all = min(all, limit)
			}
			if group == "/" {
				break
			}
		}
	}
	return all, nil
}

// groupLimit reads the limit of a control group; ok is false if there is none.
func groupLimit(root fs.FS, name string) (limit int64, ok bool) {
	b, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	limit, err = strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64) // "max" means none
	return limit, err == nil && limit > 0
}

// memTotal reads /proc/meminfo.
func memTotal(info []byte) (int64, error) {
	for s := bufio.NewScanner(bytes.NewReader(info)); s.Scan(); {
		f := strings.Fields(s.Text())
		if len(f) == 3 && f[0] == "MemTotal:" && f[2] == "kB" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			if err == nil && n > 0 {
				return n << 10, nil
			}
		}
	}
	return 0, errors.New("memory of the machine is not stated")
}
