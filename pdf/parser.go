package pdf

import (
	"slices"
	"strings"
	"sync"
)

// parser builds objects from tokens. It reads at most two tokens ahead, which is enough to distinguish "1 0 R" from two
// integers.
type parser struct {
	lx         *lexer
	stack      []Object // elements of the arrays that are open
	ahead      [2]token
	aheadCount int
	failed     error     // of the lexer, after the tokens read ahead
	depth      int       // nesting still allowed
	values     int       // values still allowed
	uniqueKeys bool      // a key that a dictionary states twice is an error
	repeated   bool      // a dictionary states a key twice
	reader     *Document // records references; may be nil
}

func newParser(lx *lexer, l Limits) *parser {
	return &parser{lx: lx, depth: l.Depth, values: l.Values}
}

// parserPool holds parsers with their lexers.
var parserPool = sync.Pool{New: func() any { return &parser{lx: &lexer{}} }}

// borrowParser takes a parser from the pool for an object of the document; release returns it.
func (d *Document) borrowParser(lx lexer) *parser {
	p := parserPool.Get().(*parser)
	*p.lx = lx
	p.depth, p.values, p.uniqueKeys, p.reader = d.limits.Depth, d.limits.Values, d.uniqueKeys, d
	return p
}

// maxStack bounds the elements of one array on the stack, and the capacity that a pooled parser retains.
const maxStack = 1 << 10

// release returns the parser to the pool. It must not be used after that.
func (p *parser) release() {
	p.lx.release()
	stack := p.stack
	if cap(stack) > 2*maxStack {
		stack = nil
	}
	clear(stack) // an object that was not parsed to its end leaves elements here
	*p = parser{lx: p.lx, stack: stack[:0]}
	parserPool.Put(p)
}

func (p *parser) next() (token, error) {
	if p.aheadCount > 0 {
		t := p.ahead[0]
		p.ahead[0] = p.ahead[1]
		p.aheadCount--
		return t, nil
	}
	if p.failed != nil {
		return token{}, p.failed
	}
	return p.lx.next()
}

// peekToken returns the token i places ahead. next reports an error met there when its turn comes.
func (p *parser) peekToken(i int) (token, error) {
	for p.aheadCount <= i {
		if p.failed != nil {
			return token{}, p.failed
		}
		t, err := p.lx.next()
		if err != nil {
			p.failed = err
			return token{}, err
		}
		p.ahead[p.aheadCount] = t
		p.aheadCount++
	}
	return p.ahead[i], nil
}

// offset is the offset of the next token, or where its search begins.
func (p *parser) offset() int64 {
	if p.aheadCount > 0 {
		return p.ahead[0].start
	}
	return p.lx.offset()
}

func (p *parser) parseObject() (Object, error) {
	t, err := p.next()
	if err != nil {
		return nil, err
	}
	return p.parseObjectFrom(t)
}

func (p *parser) parseObjectFrom(t token) (Object, error) {
	if p.values--; p.values < 0 {
		return nil, tooLarge(t.start, "too many values in one object")
	}
	switch t.kind {
	case tokInteger:
		return p.parseIntegerOrRef(t)
	case tokReal:
		return Real(t.real), nil
	case tokName:
		if o := internedNames[t.text]; o != nil {
			return o, nil
		}
		return Name(t.text), nil
	case tokString:
		return String{Bytes: t.bytes, Hex: t.hex, start: t.start, end: t.end}, nil
	case tokArrayOpen:
		return p.parseArray(t)
	case tokDictOpen:
		return p.parseDict(t)
	case tokKeyword:
		return parseKeyword(t)
	case tokEnd:
		return nil, damaged(t.start, "object without end")
	}
	return nil, damaged(t.start, "unexpected bracket")
}

func parseKeyword(t token) (Object, error) {
	switch t.text {
	case "null":
		return Null{}, nil
	case "true":
		return Boolean(true), nil
	case "false":
		return Boolean(false), nil
	}
	return nil, damaged(t.start, "unexpected word %q", strings.ToValidUTF8(t.text, "?"))
}

func (p *parser) parseIntegerOrRef(t token) (Object, error) {
	if t.num < 0 || t.num > 1<<32-1 {
		return newInteger(t.num), nil
	}
	g, err := p.peekToken(0)
	if err != nil || g.kind != tokInteger || g.num < 0 || g.num > 65535 {
		return newInteger(t.num), nil
	}
	if r, err := p.peekToken(1); err != nil || !r.isKeyword("R") {
		return newInteger(t.num), nil
	}
	p.aheadCount = 0
	if p.reader != nil {
		p.reader.references.addNumber(uint32(t.num))
	}
	if t.num < int64(len(smallRefs)) && g.num == 0 {
		return smallRefs[t.num], nil
	}
	return Ref{Number: uint32(t.num), Generation: uint16(g.num)}, nil
}

// smallIntegers and smallRefs are frequent objects of PDF files: each is allocated once, not each time it is read.
var smallIntegers, smallRefs = newSmallObjects()

func newSmallObjects() (integers, refs [1024]Object) {
	for i := range integers {
		integers[i], refs[i] = Integer(i), Ref{Number: uint32(i)}
	}
	return integers, refs
}

func newInteger(n int64) Object {
	if n >= 0 && n < int64(len(smallIntegers)) {
		return smallIntegers[n]
	}
	return Integer(n)
}

func (p *parser) parseArray(open token) (Object, error) {
	if err := p.enterNesting(open); err != nil {
		return nil, err
	}
	defer func() { p.depth++ }()
	var parts []Array
	from := len(p.stack)
	for {
		t, err := p.next()
		if err != nil {
			return nil, err
		}
		if t.kind == tokArrayClose {
			last := p.popElements(from)
			if len(parts) == 0 {
				return last, nil
			}
			// Files have arrays with 100,000 elements, and one that grows while it is read would briefly take more than
			// twice the memory.
			return slices.Concat(append(parts, last)...), nil
		}
		v, err := p.parseObjectFrom(t)
		if err != nil {
			return nil, err
		}
		if p.stack = append(p.stack, v); len(p.stack)-from == maxStack {
			parts = append(parts, p.popElements(from))
		}
	}
}

// popElements removes the stack's elements from an index on, and returns a copy.
func (p *parser) popElements(from int) Array {
	a := make(Array, len(p.stack)-from)
	copy(a, p.stack[from:])
	clear(p.stack[from:])
	p.stack = p.stack[:from]
	return a
}

func (p *parser) parseDict(open token) (Object, error) {
	if err := p.enterNesting(open); err != nil {
		return nil, err
	}
	defer func() { p.depth++ }()
	d := Dict{}
	var nulls map[string]bool // keys whose value is null
	for {
		t, err := p.next()
		if err != nil {
			return nil, err
		}
		if t.kind == tokDictClose {
			return d, nil
		}
		if t.kind != tokName {
			return nil, damaged(t.start, "dictionary key is not a name")
		}
		v, err := p.parseObject()
		if err != nil {
			return nil, err
		}
		if d[Name(t.text)] != nil || nulls[t.text] {
			if p.uniqueKeys {
				return nil, damaged(t.start, "/%s is stated twice", strings.ToValidUTF8(t.text, "?"))
			}
			p.repeated = true
		}
		if v == (Null{}) {
			if nulls == nil {
				nulls = map[string]bool{}
			}
			nulls[t.text] = true
			continue
		}
		d[Name(t.text)] = v
	}
}

func (p *parser) enterNesting(open token) error {
	if p.depth--; p.depth < 0 {
		p.depth++
		return tooLarge(open.start, "objects nested too deeply")
	}
	return nil
}
