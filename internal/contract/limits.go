package contract

// Limits bound what one document may hold. The zero value of a member means its default.
type Limits struct {
	FileSize     int64 // bytes, decoded
	Pages        int
	Participants int
	Placements   int
	Stamps       int
	Text         int // characters of a title or file name
	BoxArea      int // percent of a page that one person's boxes for signatures and initials cover together, see [CheckBoxes]

	StampFile      int64          // bytes of a file that is sent to the stamp office; 0: as many as a file may have
	StampEncrypted EncryptedFiles // that the stamp office takes
}

// EncryptedFiles says which files that are encrypted, and open without a password, are taken.
type EncryptedFiles string

// The choices. The zero value is [EncryptedAny].
const (
	EncryptedAny          EncryptedFiles = "any"
	EncryptedUnrestricted EncryptedFiles = "unrestricted" // those whose permissions leave room for changes
	EncryptedNone         EncryptedFiles = "none"
)

// Defaults fills in what is zero.
func (l Limits) Defaults() Limits {
	set(&l.FileSize, 50<<20)
	set(&l.Pages, 2000)
	set(&l.Participants, 100)
	set(&l.Placements, 500)
	set(&l.Stamps, 50)
	set(&l.Text, 255)
	set(&l.BoxArea, 25)
	set(&l.StampEncrypted, EncryptedAny)
	return l
}

func set[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}
