package intake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxMembers bounds the members of one object. It is above what any operation uses, so that clients may send
	// members that are ignored, and bounds the memory for names.
	maxMembers = 1000
	// maxName bounds how many characters of a name the path of an [Error] repeats.
	maxName = 100
)

// CheckMembers refuses JSON in which an object, at any depth, has a member twice or more than a thousand members.
// Readers differ on which of two equal members counts, so that the value which was checked, or which an audit log
// shows, may differ from the one that is used (RFC 8259 §4).
//
// Names are equal if encoding/json takes them for the same member: without regard to case and to escapes. Refusals
// are [*Error] of kind Malformed, Duplicate or TooManyMembers; the last two name the member by its path.
func CheckMembers(text []byte) error {
	if !json.Valid(text) {
		var raw json.RawMessage
		return &Error{Kind: Malformed, Reason: json.Unmarshal(text, &raw).Error()}
	}
	return checkMembers(text, "")
}

// checkMembers is CheckMembers for text that is known to be valid. removed is a member that was already removed from
// the outermost object; empty: none.
func checkMembers(text []byte, removed string) error {
	c := checker{text: text, removed: foldName(removed)}
	for c.at < len(text) {
		switch text[c.at] {
		case '{', '[':
			c.pushLevel(text[c.at] == '{')
		case '}', ']':
			c.depth--
		case ',':
			if f := c.topLevel(); f.object {
				f.naming = true
			} else {
				f.index++
			}
		case '"':
			if err := c.scanString(); err != nil {
				return err
			}
			continue // after the closing quote
		}
		c.at++
	}
	return nil
}

// checker walks over a text once. Closed levels stay in stack, so that their maps are used again.
type checker struct {
	text    []byte
	removed string // folded name of the member that was removed from the outermost object; empty: none
	at      int
	stack   []level
	depth   int // levels of the stack that are open
}

// level is an open object or array.
type level struct {
	object bool
	naming bool            // of an object: the next string is a name
	name   string          // of an object: the current member
	index  int             // of an array: the current entry
	seen   map[string]bool // of an object: the folded names so far
}

func (c *checker) topLevel() *level { return &c.stack[c.depth-1] }

func (c *checker) pushLevel(object bool) {
	if c.depth == len(c.stack) {
		c.stack = append(c.stack, level{seen: map[string]bool{}})
	}
	f := &c.stack[c.depth]
	c.depth++
	f.object, f.naming, f.name, f.index = object, object, "", 0
	clear(f.seen)
}

// scanString skips the current string, and records it if it is a name.
func (c *checker) scanString() error {
	from := c.at
	for c.at++; c.text[c.at] != '"'; c.at++ {
		if c.text[c.at] == '\\' {
			c.at++
		}
	}
	c.at++
	if c.depth == 0 || !c.topLevel().naming {
		return nil
	}
	f := c.topLevel()
	name, err := unquote(c.text[from:c.at])
	if err != nil {
		return &Error{Kind: Malformed, Offset: int64(from), Reason: err.Error()}
	}
	f.name, f.naming = name, false
	key := foldName(name)
	if f.seen[key] || c.depth == 1 && c.removed != "" && key == c.removed {
		return &Error{Kind: Duplicate, Offset: int64(from), Member: c.memberPath(), Reason: fmt.Sprintf("member %q is given twice", c.memberPath())}
	}
	if len(f.seen) == maxMembers {
		return &Error{Kind: TooManyMembers, Offset: int64(from), Limit: maxMembers, Member: c.memberPath(), Reason: fmt.Sprintf("an object has more than %d members", maxMembers)}
	}
	f.seen[key] = true
	return nil
}

// memberPath returns the path of the current member, such as signer[0].email.
func (c *checker) memberPath() string {
	var b strings.Builder
	for _, f := range c.stack[:c.depth] {
		if !f.object {
			b.WriteString("[" + strconv.Itoa(f.index) + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		name := f.name
		if r := []rune(name); len(r) > maxName {
			name = string(r[:maxName]) + "…"
		}
		if name == "" {
			name = `""`
		}
		b.WriteString(name)
	}
	return b.String()
}

// unquote returns the string of a JSON literal.
func unquote(literal []byte) (string, error) {
	inner := literal[1 : len(literal)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner), nil
	}
	var s string
	err := json.Unmarshal(literal, &s)
	return s, err
}

// foldName returns the same string for all names that encoding/json takes for one member: it ignores case.
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		for next := unicode.SimpleFold(r); ; next = unicode.SimpleFold(next) {
			if next <= r {
				return next // the smallest of the letters that are equal
			}
			r = next
		}
	}, name)
}
