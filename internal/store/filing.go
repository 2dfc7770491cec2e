package store

import (
	"context"

	"segel/internal/contract"
)

// Labels stores the labels of organisations, and which documents have them.
type Labels interface {
	// Labels returns the labels of an organisation, by name.
	Labels(ctx context.Context, o contract.OrganisationID) ([]contract.Label, error)
	// Label returns one label; ErrNotFound.
	Label(ctx context.Context, id contract.LabelID) (contract.Label, error)
	// AddLabel adds a label, and logs e. ErrExists: another one of the organisation has the name, in any case of letters. [contract.ErrLabelLimit]: it
	// has too many.
	AddLabel(ctx context.Context, l contract.Label, e contract.Event) (contract.Label, error)
	// SetLabel replaces name and colour of a label of the organisation, and logs e. ErrNotFound: it has no such label; ErrExists as above.
	SetLabel(ctx context.Context, l contract.Label, e contract.Event) error
	// DeleteLabel deletes a label of the organisation, takes it from all documents, and logs e. ErrNotFound: it has no such label.
	DeleteLabel(ctx context.Context, o contract.OrganisationID, id contract.LabelID, e contract.Event) error
	// LabelDocuments replaces the labels of documents of an organisation, in one transaction, with what change returns for each of them; labels that do
	// not exist any more are left out. Documents of other organisations are left alone. Change may be called again for the same document. It returns the
	// documents of the organisation that exist, also while others are being deleted.
	LabelDocuments(ctx context.Context, o contract.OrganisationID, ids []contract.DocumentID, change func(contract.DocumentID, []contract.LabelID) []contract.LabelID) ([]contract.DocumentID, error)
}

// Folders stores the folders of spaces, and which documents are in them.
type Folders interface {
	// Folders returns the folders of a space, by name.
	Folders(ctx context.Context, space contract.PersonID) ([]contract.Folder, error)
	// Folder returns one folder; ErrNotFound.
	Folder(ctx context.Context, id contract.FolderID) (contract.Folder, error)
	// AddFolder adds a folder, unless one of the space has the name already, in any case of letters: it returns the one that is stored.
	// [contract.ErrFolderLimit]: the space has too many. ErrNotFound: the space is that of a team that was deleted.
	AddFolder(ctx context.Context, f contract.Folder) (contract.Folder, error)
	// RenameFolder renames a folder of the space. ErrNotFound: it has no such folder; ErrExists: another one of the space has the name.
	RenameFolder(ctx context.Context, f contract.Folder) error
	// DeleteFolder deletes a folder of the space; its documents are in none then. ErrNotFound: it has no such folder.
	DeleteFolder(ctx context.Context, space contract.PersonID, id contract.FolderID) error
	// FileDocuments puts documents into a folder of the space, in one transaction, and out of the one in which they were; empty: into none. Documents that
	// are in no list of the space are left alone. It returns the documents that exist, also while others are being deleted. ErrNotFound: the space has
	// no such folder.
	FileDocuments(ctx context.Context, space contract.PersonID, folder contract.FolderID, ids []contract.DocumentID) ([]contract.DocumentID, error)
	// Filing returns what a person sees of where documents are filed. Those without labels and in no folder are missing from the map.
	Filing(ctx context.Context, of FilingView, ids []contract.DocumentID) (map[contract.DocumentID]Filed, error)
}

// FilingView says who sees where documents are filed. The zero value sees nothing.
type FilingView struct {
	Organisation contract.OrganisationID // whose labels are seen, on its documents
	Space        contract.PersonID       // whose folders are seen: those of a person, or of a team
}

// Filed is where a document is filed, as a person sees it.
type Filed struct {
	Labels []contract.Label // by name
	Folder contract.Folder  // zero: in none
}
