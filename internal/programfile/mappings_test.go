package programfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// sampleOf returns the lines of a mapping in /proc/PID/smaps that matter, among others.
func sampleOf(head string, anonymous, locked int) string {
	return fmt.Sprintf("%s\nSize:              16440 kB\nKernelPageSize:        4 kB\nRss:               16440 kB\nAnonymous:          %4d kB\nLocked:             %4d kB\nTHPeligible:           0\nVmFlags: rd ex mr mw me \n", head, anonymous, locked)
}

func TestOnlyUnmodifiedReadOnlyMappingsOfTheProgramAreGivenBack(t *testing.T) {
	t.Parallel()
	const program = "/usr/lib/Segel 2/segel (deleted)"
	smaps := sampleOf("00400000-0140e000 r-xp 00001000 fe:00 12345                              "+program, 0, 0) +
		sampleOf("0140e000-03a0e000 r--p 0100e000 fe:00 12345                              "+program, 0, 0) +
		sampleOf("03a0e000-03a1e000 r--p 0360e000 fe:00 12345                              "+program, 4, 0) + // relocated
		sampleOf("03a1e000-03a2e000 r--p 0361e000 fe:00 12345                              "+program, 0, 64) +
		sampleOf("03a2e000-03b0e000 rw-p 0362e000 fe:00 12345                              "+program, 0, 0) +
		sampleOf("03b0e000-03b0f000 rwxp 0370e000 fe:00 12345                              "+program, 0, 0) +
		sampleOf("03b0f000-03b1f000 r--s 0370f000 fe:00 12345                              "+program, 0, 0) +
		sampleOf("03b1f000-03b2f000 ---p 0371f000 fe:00 12345                              "+program, 0, 0) +
		sampleOf("03b2f000-03b3f000 rw-p 00000000 00:00 0", 0, 0) +
		sampleOf("c000000000-c000400000 rw-p 00000000 00:00 0 ", 0, 0) +
		sampleOf("7f0000000000-7f0000100000 r-xp 00000000 fe:00 777                        /usr/lib/libc.so.6", 0, 0) +
		sampleOf("7f0000100000-7f0000200000 r--p 00000000 fe:00 778                        /usr/lib/Segel 2/segel", 0, 0) + // the file that replaced it
		sampleOf("7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                          [vdso]", 0, 0)
	got, err := readUnmodified(strings.NewReader(smaps), program)
	want := []mapping{{0x400000, 0x140e000}, {0x140e000, 0x3a0e000}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("the mappings are %x (%v), want %x", got, err, want)
	}
}

func TestAMappingOfWhichTooLittleIsKnownIsNotGivenBack(t *testing.T) {
	t.Parallel()
	const head = "00400000-0140e000 r-xp 00001000 fe:00 12345 /segel\n"
	for name, smaps := range map[string]string{
		"nothing stated":          head,
		"no anonymous pages":      head + "Locked: 0 kB\n",
		"no locked pages":         head + "Anonymous: 0 kB\n",
		"not stated of the next":  strings.Replace(head, "r-x", "rwx", 1) + "Anonymous: 0 kB\nLocked: 0 kB\n" + head,
		"an unknown size":         head + "Anonymous: some kB\nLocked: 0 kB\n",
		"an unknown address":      strings.Replace(head, "0040", "0x40", 1) + "Anonymous: 0 kB\nLocked: 0 kB\n",
		"an address out of range": strings.Replace(head, "-", "-fffffffff", 1) + "Anonymous: 0 kB\nLocked: 0 kB\n",
		"an end before the start": "00400000-00300000 r-xp 00001000 fe:00 12345 /segel\nAnonymous: 0 kB\nLocked: 0 kB\n",
	} {
		if got, err := readUnmodified(strings.NewReader(smaps), "/segel"); len(got) != 0 {
			t.Errorf("%s: the mappings are %x (%v)", name, got, err)
		}
	}
}
