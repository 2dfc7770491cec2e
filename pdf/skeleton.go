package pdf

var errNotYet = &Error{Kind: Unsupported, Msg: "not built yet"}

func (d *Document) NewUpdate() *Update { return nil }

type Update struct{}

func (u *Update) Add(o Object) Ref                                  { return Ref{} }
func (u *Update) Reserve() Ref                                      { return Ref{} }
func (u *Update) Set(ref Ref, o Object)                             {}
func (u *Update) Get(ref Ref) (Object, error)                       { return nil, errNotYet }
func (u *Update) Resolve(o Object) (Object, error)                  { return nil, errNotYet }
func (u *Update) Edit(ref Ref) (Dict, error)                        { return nil, errNotYet } // change the map in place
func (u *Update) EditIn(owner Ref, key Name) (Dict, error)          { return nil, errNotYet } // direct, indirect or missing dictionary under key
func (u *Update) Append(owner Ref, key Name, items ...Object) error { return errNotYet }      // direct, indirect or missing array under key
func (u *Update) Build() (*Tail, error)                             { return nil, errNotYet }

type Tail struct {
	At    int64 // absolute offset of Bytes[0]: the size of the file
	Bytes []byte
}

func (t *Tail) Hole(h *Hole) (at int64, n int, err error) { return 0, 0, errNotYet }
func (t *Tail) Fill(h *Hole, b []byte) error              { return errNotYet }
