package isolation

import "golang.org/x/sys/unix"

const (
	archHere       = unix.AUDIT_ARCH_AARCH64
	otherNumbering = 1 << 31 // no call has such a number
)

// deniedHere are the denied calls that only this processor has.
var deniedHere = []uint32{unix.SYS_KEXEC_FILE_LOAD}
