package emeterai

import "regexp"

var orderAtEnd = regexp.MustCompile(`-([0-9A-Za-z]{1,64})\.pdf$`)

// OrderID returns the identifier that ends the serial's file name, as of a serial that was taken for an [Order]; empty
// where none does. It only looks like one of ours: whether it is, who keeps the orders knows.
func (s Serial) OrderID() string {
	if m := orderAtEnd.FindStringSubmatch(s.File); m != nil {
		return m[1]
	}
	return ""
}
