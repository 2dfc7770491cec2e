//go:build amd64 || arm64

package isolation

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// denied are the system calls that a sandboxed program gets EPERM for: none of the programs needs one, and many of the faults that let a
// program escape from its namespaces were in them. A list of permitted calls would be shorter for an attacker, but differs between
// releases of the programs and of the C library, and a wrong one would refuse contracts.
var denied = append([]uint32{
	// Namespaces and file systems. Bubblewrap has made its own by then.
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG,
	unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_MOUNT_SETATTR, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_FANOTIFY_INIT, unix.SYS_ACCT,
	// Other processes.
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	// Programs and objects inside of the kernel.
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_VMSPLICE, unix.SYS_SECCOMP,
	// The machine.
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT, unix.SYS_SYSLOG, unix.SYS_PERSONALITY,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
}, deniedHere...)

// namespaceFlags are the flags of clone that make namespaces.
const namespaceFlags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// Offsets in struct seccomp_data (seccomp(2)). An argument has 64 bits, of which the lower 32 come first on the processors of archHere.
const (
	callOffset         = 0
	architectureOffset = 4
	argumentsOffset    = 16
)

// filter is the program for the kernel that bubblewrap loads last, before it starts the sandboxed program: an array of struct sock_filter.
var filter = sync.OnceValues(func() ([]byte, error) {
	deny := func(e unix.Errno) bpf.Instruction { return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(e)} }
	argument := func(i uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: argumentsOffset + 8*i, Size: 4} }
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: architectureOffset, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: archHere, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS}, // numbers mean other calls there
		bpf.LoadAbsolute{Off: callOffset, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: otherNumbering, SkipTrue: 1},
		deny(unix.ENOSYS),
		// Its flags are in memory, which a filter cannot read. The C library uses clone instead.
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_CLONE3, SkipTrue: 1},
		deny(unix.ENOSYS),
	}
	for _, call := range denied {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: 1}, deny(unix.EPERM))
	}
	program = append(program,
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_CLONE, SkipTrue: 4},
		argument(0),
		bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: namespaceFlags, SkipTrue: 1},
		deny(unix.EPERM),
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
		// Without a network only sockets between processes of the sandbox are of use. Other families are code of the kernel that few test.
		// A pair of sockets is made by the code of its family too.
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_SOCKETPAIR, SkipTrue: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_SOCKET, SkipTrue: 4},
		argument(0),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_UNIX, SkipTrue: 1},
		deny(unix.EAFNOSUPPORT),
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
		// Would type into the terminal of the service.
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_IOCTL, SkipTrue: 4},
		argument(1),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCSTI, SkipTrue: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.TIOCLINUX, SkipTrue: 1},
		deny(unix.EPERM),
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
	)
	raw, err := bpf.Assemble(program)
	if err != nil {
		return nil, fmt.Errorf("assemble the filter of system calls: %w", err)
	}
	var b []byte
	for _, r := range raw {
		b = binary.NativeEndian.AppendUint16(b, r.Op)
		b = append(b, r.Jt, r.Jf)
		b = binary.NativeEndian.AppendUint32(b, r.K)
	}
	return b, nil
})

// filterArguments returns the arguments with which bubblewrap loads the filter from the first file of the process, and that file. The
// filter fits into the buffer of a pipe.
func filterArguments() ([]string, []*os.File, error) {
	b, err := filter()
	if err != nil {
		return nil, nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("hand over the filter of system calls: %w", err)
	}
	defer w.Close()
	if _, err := w.Write(b); err != nil {
		_ = r.Close()
		return nil, nil, fmt.Errorf("hand over the filter of system calls: %w", err)
	}
	return []string{"--seccomp", "3"}, []*os.File{r}, nil
}
