package contract

// SignatureVerdict is what the validation of a file found about one signature or document timestamp in it.
type SignatureVerdict struct {
	Field     string
	Serial    string // of the duty stamp that it is; empty: it is none
	Timestamp bool   // it is a document timestamp
	Uploaded  bool   // it came with the file
	Integrity SignatureIntegrity
	Passed    bool   // TOTAL-PASSED (ETSI EN 319 102-1 §5.1.3)
	Archived  bool   // level B-LTA (ETSI EN 319 142-1 §6)
	CoversAll bool   // every byte of the file, and nothing follows
	Why       string // the sub-indication where it has not passed, else the level
}

// SignatureIntegrity is what became of the bytes that a signature covers.
type SignatureIntegrity string

// What may have become of them.
const (
	SignatureIntact  SignatureIntegrity = "intact"  // they are what was signed, and what was added later is permitted
	SignatureChanged SignatureIntegrity = "changed" // something was added later that the signature does not permit
	SignatureBroken  SignatureIntegrity = "broken"  // they are not what was signed, or nobody can tell what was
	SignatureUnknown SignatureIntegrity = "unknown" // the algorithm is not one that is computed here
)
