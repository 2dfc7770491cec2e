package pdf

// maxBeyond bounds how many dangling references are remembered. A sound file
// has none of them.
const maxBeyond = 10_000

// meet is told the number of every reference that is parsed, and remembers
// those that no object has nor ever had. Whoever gave an object such a number
// would change the meaning of what refers to it: where it is signed, an honest
// update would look like an attack. To know all of them, all objects would
// have to be parsed, which costs more than a signature; what an update touches
// is parsed in any case, the catalog, the form and the page among it.
func (d *Document) meet(number uint32) {
	if number <= d.slots.highest || len(d.beyond) >= maxBeyond {
		return
	}
	if d.beyond == nil {
		d.beyond = map[uint32]bool{}
	}
	d.beyond[number] = true
}
