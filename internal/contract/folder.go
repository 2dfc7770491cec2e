package contract

import "time"

// FolderID is the UUID of a folder.
type FolderID string

// Folder is where a person sorts the documents of their lists. Other people do not see it.
type Folder struct {
	ID        FolderID
	Space     PersonID // whose lists the folder sorts; a document is in at most one folder of a space
	Name      string
	CreatedAt time.Time
}

// Bounds on folders.
const (
	MaxFolders    = 200 // of a space
	maxFolderName = 60  // characters
)

// Errors of operations on folders.
var (
	// ErrNoFolder refuses a folder that does not exist or is another person's.
	ErrNoFolder = Refuse(NotFound, "folder.not_found")
	// ErrFolderExists refuses a name that another folder of the space has, in any case of letters.
	ErrFolderExists = Refuse(Conflict, "folder.exists")
	// ErrFolderLimit refuses another folder of a space that has MaxFolders.
	ErrFolderLimit = Refuse(Conflict, "folder.too_many").With("limit", MaxFolders)
)

// CheckFolderName returns the name of a folder as it is stored. Errors name the members of the interface.
func CheckFolderName(name string) (string, error) {
	var bad fieldErrors
	name = checkShortName(name, maxFolderName, &bad)
	return name, bad.asError()
}
