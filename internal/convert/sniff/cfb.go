package sniff

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
)

// compound is a compound file, MS-CFB: a file system in a file, with sectors that form chains and a tree of storages
// (folders) and streams.
type compound struct {
	r       io.ReaderAt
	size    int64
	limit   int64    // bytes of a stream
	shift   uint     // of the sector size
	fat     []uint32 // which sector follows which
	entries []node
	visited []bool // which of them have been met in a storage: none is in two

	mini    []byte   // the stream that holds small streams, in sectors of 64 bytes
	miniFAT []uint32 // which of these follows which
	cutoff  int64    // smaller streams are there
}

// node is a storage or a stream.
type node struct {
	name               string
	kind               byte
	left, right, child uint32
	start              uint32
	size               int64
}

const (
	storageNode = 1
	streamNode  = 2
	rootNode    = 5

	maxSector  = 0xFFFFFFFA // above are marks, not sectors
	noNode     = 0xFFFFFFFF
	nodeLen    = 128
	miniLen    = 64
	headerLen  = 512
	maxNodes   = 4096
	maxNesting = 16
)

// openCompound reads the header, the chains and the tree. No stream may have more than limit bytes.
func openCompound(r io.ReaderAt, size, limit int64) (*compound, error) {
	h := make([]byte, headerLen)
	if _, err := r.ReadAt(h, 0); err != nil {
		return nil, newRefusal(Damaged, "the compound file has no header")
	}
	u32 := func(i int) uint32 { return binary.LittleEndian.Uint32(h[i:]) }
	c := &compound{r: r, size: size, limit: min(size, limit), shift: uint(binary.LittleEndian.Uint16(h[30:])), cutoff: int64(u32(56))}
	if c.shift != 9 && c.shift != 12 || binary.LittleEndian.Uint16(h[28:]) != 0xFFFE {
		return nil, newRefusal(Damaged, "the compound file has sectors of 2^%d bytes", c.shift)
	}
	if err := c.readFAT(h, u32(68)); err != nil {
		return nil, err
	}
	tree, err := c.readChain(u32(48), maxNodes*nodeLen)
	if err != nil {
		return nil, err
	}
	for ; len(tree) >= nodeLen; tree = tree[nodeLen:] {
		c.entries = append(c.entries, parseNode(tree))
	}
	if len(c.entries) == 0 || c.entries[0].kind != rootNode {
		return nil, newRefusal(Damaged, "the compound file has no root")
	}
	c.visited = make([]bool, len(c.entries))
	return c, c.readMini(u32(60))
}

// readFAT gathers the table of chains: its sectors are listed in the header and, for large files, in further sectors.
func (c *compound) readFAT(h []byte, next uint32) error {
	list := h[76:]
	for n := c.sectorCount(); ; n-- {
		for ; len(list) >= 4; list = list[4:] {
			at := binary.LittleEndian.Uint32(list)
			if at > maxSector {
				continue
			}
			s, err := c.readSector(at)
			if err != nil {
				return err
			}
			for ; len(s) >= 4; s = s[4:] {
				c.fat = append(c.fat, binary.LittleEndian.Uint32(s))
			}
			if int64(len(c.fat)) > c.sectorCount()+int64(1)<<c.shift {
				return newRefusal(Damaged, "the compound file has more chains than sectors")
			}
		}
		if next > maxSector {
			return nil
		}
		if n == 0 {
			return newRefusal(Damaged, "the compound file lists its chains in a circle")
		}
		s, err := c.readSector(next)
		if err != nil {
			return err
		}
		list, next = s[:len(s)-4], binary.LittleEndian.Uint32(s[len(s)-4:])
	}
}

// readMini reads what holds the small streams.
func (c *compound) readMini(start uint32) error {
	table, err := c.readChain(start, c.limit)
	if err != nil {
		return err
	}
	for ; len(table) >= 4; table = table[4:] {
		c.miniFAT = append(c.miniFAT, binary.LittleEndian.Uint32(table))
	}
	c.mini, err = c.readChain(c.entries[0].start, c.limit)
	return err
}

func (c *compound) sectorCount() int64 { return c.size >> c.shift }

func (c *compound) readSector(n uint32) ([]byte, error) {
	b := make([]byte, 1<<c.shift)
	got, err := c.r.ReadAt(b, (int64(n)+1)<<c.shift)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read compound file: %w", err)
	}
	if got == 0 {
		return nil, newRefusal(Damaged, "sector %d lies beyond the compound file", n)
	}
	return b, nil // the last one may be cut short
}

// readChain reads the sectors that follow each other from start on, up to limit bytes.
func (c *compound) readChain(start uint32, limit int64) ([]byte, error) {
	var b []byte
	for n := start; n <= maxSector; n = c.fat[n] {
		if int64(n) >= int64(len(c.fat)) || int64(len(b)) > c.size {
			return nil, newRefusal(Damaged, "a chain of the compound file leads nowhere")
		}
		if int64(len(b)) >= limit {
			return nil, newRefusal(TooComplex, "a chain of the compound file is longer than %d bytes", limit)
		}
		s, err := c.readSector(n)
		if err != nil {
			return nil, err
		}
		b = append(b, s...)
	}
	return b, nil
}

func parseNode(b []byte) node {
	u32 := func(i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }
	var name []uint16
	for i := 0; i+2 < int(min(binary.LittleEndian.Uint16(b[64:]), 64)); i += 2 { // the length counts the zero at the end
		name = append(name, binary.LittleEndian.Uint16(b[i:]))
	}
	return node{
		name: string(utf16.Decode(name)), kind: b[66],
		left: u32(68), right: u32(72), child: u32(76), start: u32(116), size: int64(u32(120)),
	}
}

// listChildren returns what a storage holds, by name in lower case. It can be asked once for each: an entry that is met
// again is in two places, and a tree of such storages would have no end.
func (c *compound) listChildren(parent node) (map[string]node, error) {
	all := map[string]node{}
	todo := []uint32{parent.child}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i == noNode {
			continue
		}
		if int64(i) >= int64(len(c.entries)) {
			return nil, newRefusal(Damaged, "the tree of the compound file leads nowhere")
		}
		n := c.entries[i]
		key := strings.ToLower(n.name)
		if _, twice := all[key]; twice || c.visited[i] {
			return nil, newRefusal(Damaged, "the compound file has %q twice", n.name)
		}
		all[key], c.visited[i] = n, true
		todo = append(todo, n.left, n.right)
	}
	return all, nil
}

// readStream reads one, from whichever place it is in.
func (c *compound) readStream(n node) ([]byte, error) {
	switch {
	case n.size > c.size:
		return nil, newRefusal(Damaged, "stream %q is longer than the file", n.name)
	case n.size > c.limit:
		return nil, newRefusal(TooComplex, "stream %q has %d bytes", n.name, n.size)
	}
	if n.size >= c.cutoff {
		b, err := c.readChain(n.start, n.size+1<<c.shift)
		if err == nil && int64(len(b)) < n.size {
			err = newRefusal(Damaged, "stream %q is cut short", n.name)
		}
		return b[:min(n.size, int64(len(b)))], err
	}
	var b []byte
	for s := n.start; s <= maxSector && int64(len(b)) < n.size; s = c.miniFAT[s] {
		at := int64(s) * miniLen
		if int64(s) >= int64(len(c.miniFAT)) || at+miniLen > int64(len(c.mini)) {
			return nil, newRefusal(Damaged, "stream %q leads nowhere", n.name)
		}
		b = append(b, c.mini[at:at+miniLen]...)
	}
	if int64(len(b)) < n.size {
		return nil, newRefusal(Damaged, "stream %q is cut short", n.name)
	}
	return b[:n.size], nil
}
