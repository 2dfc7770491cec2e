//go:build !linux

package hashworker

import "errors"

func lowerPriority() error { return errors.ErrUnsupported }
