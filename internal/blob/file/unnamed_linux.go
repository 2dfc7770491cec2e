package file

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// openUnnamed makes an empty file without a name in a folder. The system frees it with its handle unless linkUnnamed gives it a name.
func openUnnamed(dir string, mode uint32) (*os.File, error) {
	for {
		fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, mode)
		switch err {
		case nil:
			return os.NewFile(uintptr(fd), dir), nil
		case unix.EINTR:
		default:
			return nil, &os.PathError{Op: "open", Path: dir, Err: err}
		}
	}
}

// linkUnnamed gives a file of openUnnamed its first name, which must not be taken.
func linkUnnamed(f *os.File, path string) error {
	// The form with AT_EMPTY_PATH, which needs no /proc, needs a privilege.
	err := unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return &os.LinkError{Op: "link", Old: f.Name(), New: path, Err: err}
	}
	return nil
}
