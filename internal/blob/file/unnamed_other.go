//go:build !linux

package file

import (
	"errors"
	"os"
)

func openUnnamed(string, uint32) (*os.File, error) { return nil, errors.ErrUnsupported }

func linkUnnamed(*os.File, string) error { return errors.ErrUnsupported }
