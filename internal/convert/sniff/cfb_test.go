package sniff

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
)

// sharedStorages is a compound file of some kilobytes in which every storage of a level holds the same storages of the next.
func sharedStorages(levels, perLevel int) []byte {
	nodes := []node{{name: "Root Entry", kind: rootNode, child: 1}, {name: "WordDocument", kind: streamNode, left: noNode, right: 2, child: noNode}}
	for l := range levels {
		first := len(nodes)
		for i := range perLevel {
			n := node{name: string(rune('A'+l)) + string(rune('a'+i)), kind: storageNode, left: noNode, right: uint32(first + i + 1), child: uint32(first + perLevel)}
			if i == perLevel-1 {
				n.right = noNode
			}
			if l == levels-1 {
				n.child = noNode
			}
			nodes = append(nodes, n)
		}
	}
	for len(nodes)%4 != 0 {
		nodes = append(nodes, node{left: noNode, right: noNode, child: noNode})
	}
	const sector = 512
	sectors := len(nodes) * nodeLen / sector
	b := make([]byte, headerLen+sector)
	copy(b, cfbMagic)
	le := binary.LittleEndian
	le.PutUint16(b[28:], 0xFFFE)
	le.PutUint16(b[30:], 9)
	le.PutUint32(b[48:], 1)          // the tree
	le.PutUint32(b[56:], 4096)       // the cutoff
	le.PutUint32(b[60:], 0xFFFFFFFE) // no small streams
	le.PutUint32(b[68:], 0xFFFFFFFE) // no further list of chains
	for i := range (headerLen - 76) / 4 {
		le.PutUint32(b[76+4*i:], noNode)
	}
	le.PutUint32(b[76:], 0) // the chains
	for i := range sector / 4 {
		le.PutUint32(b[headerLen+4*i:], 0xFFFFFFFE)
	}
	for i := 1; i < sectors; i++ {
		le.PutUint32(b[headerLen+4*i:], uint32(i+1))
	}
	for _, n := range nodes {
		r := make([]byte, nodeLen)
		name := encodeUTF16(n.name)
		copy(r, name)
		le.PutUint16(r[64:], uint16(len(name)+2))
		r[66] = n.kind
		for i, v := range []uint32{n.left, n.right, n.child} {
			le.PutUint32(r[68+4*i:], v)
		}
		le.PutUint32(r[116:], 0xFFFFFFFE)
		b = append(b, r...)
	}
	return b
}

// TestAStorageInTwoPlacesIsRefused never ended where each place was looked at again: twenty storages on each of
// sixteen levels are a tree of 20^16.
func TestAStorageInTwoPlacesIsRefused(t *testing.T) {
	t.Parallel()
	file := sharedStorages(15, 20)
	_, err := CheckDocument(t.Context(), bytes.NewReader(file), int64(len(file)), Limits{})
	var r *Refusal
	if !errors.As(err, &r) || r.Reason != Damaged {
		t.Errorf("%v", err)
	}
}
