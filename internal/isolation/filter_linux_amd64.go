package isolation

import "golang.org/x/sys/unix"

const (
	archHere       = unix.AUDIT_ARCH_X86_64
	otherNumbering = 0x40000000 // calls of x32 have this bit
)

// deniedHere are the denied calls that only this processor has.
var deniedHere = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_KEXEC_FILE_LOAD}
