package emeterai

import "regexp"

var orderAtEnd = regexp.MustCompile(`-([0-9A-Za-z]{1,64})\.pdf$`)

// OrderID returns the order identifier at the end of the serial's file name, as it is set when a serial is bought for
// an [Order]; empty if there is none. It only looks like one of our identifiers: the caller knows the real ones.
func (s Serial) OrderID() string {
	if m := orderAtEnd.FindStringSubmatch(s.File); m != nil {
		return m[1]
	}
	return ""
}
