package contract

import "time"

// FolderID is the UUID of a folder.
type FolderID string

// Folder is where a person sorts the documents of their lists, which other people do not see, or where a team sorts those of its list, which its members see.
type Folder struct {
	ID        FolderID
	Space     PersonID // whose lists the folder sorts, a person or a [TeamID]; a document is in at most one folder of a space
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
	// ErrNoFolder refuses a folder that does not exist, or that belongs to another person or a team of others.
	ErrNoFolder = Refuse(NotFound, "folder.not_found")
	// ErrFolderExists refuses a name that another folder of the space has, in any case of letters.
	ErrFolderExists = Refuse(Conflict, "folder.exists")
	// ErrFolderLimit refuses another folder of a space that has MaxFolders.
	ErrFolderLimit = Refuse(Conflict, "folder.too_many").With("limit", MaxFolders)
)

// FolderSpace returns the space of the folders that the actor reads (AccountLists) or changes and fills (AccountFolders): that of a team of theirs, or with an
// empty identifier their own. Members of a team see its folders, and those whose role includes sending documents change them. ErrNoTeam refuses a team of others.
func (by Actor) FolderSpace(op AccountOperation, team TeamID) (PersonID, error) {
	if err := by.AuthoriseAccount(op); err != nil {
		return "", err
	}
	if team == "" {
		return by.ID, nil
	}
	if _, isMember := by.FindTeam(team); !isMember {
		return "", ErrNoTeam
	}
	if op == AccountFolders {
		return PersonID(team), by.requireSender()
	}
	return PersonID(team), nil
}

// AuthoriseFiling decides whether the actor may put the document into a folder of a space, which [Actor.FolderSpace] returned. Of a team, the document has to
// be in its list.
func (d *Document) AuthoriseFiling(by Actor, space PersonID) error {
	if err := d.Authorise(by, OpFile); err != nil {
		return err
	}
	if space != by.ID && d.Team.ID != TeamID(space) {
		return ErrNotFound
	}
	return nil
}

// CheckFolderName returns the name of a folder as it is stored. Errors name the members of the interface.
func CheckFolderName(name string) (string, error) {
	var bad fieldErrors
	name = checkShortName(name, maxFolderName, &bad)
	return name, bad.asError()
}
