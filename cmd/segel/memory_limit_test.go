package main

import (
	"runtime/debug"
	"testing"
	"testing/fstest"

	"segel/internal/config"
)

// filesystemOf returns a file system with these files.
func filesystemOf(of map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for name, content := range of {
		root[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return root
}

const eightGiB = "MemTotal:        8388608 kB\nMemFree:         1000 kB\n"

func TestMemoryIsThatOfTheMachineOrOfTheNarrowestControlGroup(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no control groups": {map[string]string{"proc/meminfo": eightGiB}, 8 << 30},
		"version 2": {map[string]string{
			"proc/meminfo": eightGiB, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "2147483648\n",
		}, 2 << 30},
		"version 2, in a container": {map[string]string{
			"proc/meminfo": eightGiB, "proc/self/cgroup": "0::/docker/1\n", "sys/fs/cgroup/memory.max": "1073741824\n",
		}, 1 << 30},
		"version 1": {map[string]string{
			"proc/meminfo": eightGiB, "proc/self/cgroup": "9:cpu:/x\n5:cpuset,memory:/a\n0::/\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "3221225472\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 3 << 30},
		"a group that may take more than there is": {map[string]string{
			"proc/meminfo": eightGiB, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "99999999999999\n",
		}, 8 << 30},
	} {
		if got, err := readMemoryLimit(filesystemOf(c.files)); err != nil || got != c.want {
			t.Errorf("%s: %d, %v; want %d", name, got, err, c.want)
		}
	}
	for name, of := range map[string]map[string]string{"nothing": {}, "something else": {"proc/meminfo": "MemTotal: many kB\n"}} {
		if _, err := readMemoryLimit(filesystemOf(of)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Not parallel: it sets the limit of the process.
func TestMemoryLimitLeavesRoomForConversionsAndRespectsTheEnvironment(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	const seventyPercent = int64(8<<30) / 10 * 7
	root := filesystemOf(map[string]string{"proc/meminfo": eightGiB})
	for name, c := range map[string]struct {
		env  []string
		conf config.Config
		want int64
	}{
		"set by the environment": {[]string{"GOMEMLIMIT=1GiB"}, config.Config{}, 0},
		"set to nothing":         {[]string{"GOMEMLIMIT="}, config.Config{Convert: config.ConvertOff}, seventyPercent},
		"two conversions":        {nil, config.Config{Convert: config.ConvertAuto, MaxConversions: 2}, seventyPercent - 1<<30},
		"conversions elsewhere":  {nil, config.Config{Convert: "http://gotenberg:3000", MaxConversions: 2}, seventyPercent},
		"too many conversions":   {nil, config.Config{Convert: config.ConvertLibreOffice, MaxConversions: 100}, 2 << 30},
	} {
		debug.SetMemoryLimit(before)
		got, err := limitMemory(root, c.env, c.conf)
		want := c.want
		if want == 0 {
			want = before
		}
		if now := debug.SetMemoryLimit(-1); err != nil || got != c.want || now != want {
			t.Errorf("%s: %d, and the limit is %d, %v; want %d", name, got, now, err, c.want)
		}
	}
}
