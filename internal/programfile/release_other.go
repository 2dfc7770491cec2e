//go:build !linux

package programfile

import "errors"

// ReleasePages is not supported on this system.
func ReleasePages() error { return errors.ErrUnsupported }
