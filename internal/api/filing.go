package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/workflow"
)

type labelOut struct {
	ID     contract.LabelID     `json:"id" example:"5d4b7c0e-1f0a-4c77-8a5e-7f6d3c2b1a01"`
	Name   string               `json:"name" example:"Sewa"`
	Colour contract.LabelColour `json:"colour" enum:"gray,red,orange,yellow,green,teal,blue,violet" example:"teal"`
}

func labelOf(l contract.Label) labelOut { return labelOut{l.ID, l.Name, l.Colour} }

type folderOut struct {
	ID   contract.FolderID `json:"id" example:"6f1d2c3b-0a9e-4b8d-9c7f-5e4d3c2b1a02"`
	Name string            `json:"name" example:"Kantor Bandung"`
}

// filingOf returns where a document is filed, as the caller sees it; nil: it has no labels, or is in no folder.
func filingOf(f store.Filed) (labels []labelOut, folder *folderOut) {
	if len(f.Labels) > 0 {
		labels = convertAll(f.Labels, labelOf)
	}
	if f.Folder.ID != "" {
		folder = &folderOut{f.Folder.ID, f.Folder.Name}
	}
	return labels, folder
}

type labelsData struct {
	Labels []labelOut `json:"labels" doc:"by name"`
}

func (c *call) listLabels() (labelsData, error) {
	all, err := c.Workflow.Labels(c.r.Context(), c.by)
	return labelsData{convertAll(all, labelOf)}, err
}

// adminLabels are the labels of one organisation.
type adminLabels struct {
	Organisation organisationOut `json:"organisation"`
	Labels       []labelOut      `json:"labels" doc:"by name"`
}

func (c *call) listAdminLabels() (adminLabels, error) {
	q := c.parseQuery()
	of := q.parseOrganisation()
	if err := q.bad.asError(); err != nil {
		return adminLabels{}, err
	}
	o, all, err := c.Workflow.AdminLabels(c.r.Context(), c.by, of)
	if err != nil {
		return adminLabels{}, err
	}
	return adminLabels{organisationOf(o), convertAll(all, labelOf)}, nil
}

type labelAdd struct {
	Name         phrase `json:"name" required:"true" doc:"at most 40 characters; no other label of the organisation has it" example:"Sewa"`
	Colour       phrase `json:"colour" required:"true" enum:"gray,red,orange,yellow,green,teal,blue,violet" example:"teal"`
	Organisation phrase `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
}

type labelChange struct {
	Name   phrase `json:"name" required:"true" doc:"at most 40 characters; no other label of the organisation has it" example:"Sewa"`
	Colour phrase `json:"colour" required:"true" enum:"gray,red,orange,yellow,green,teal,blue,violet" example:"teal"`
}

type labelAnswer struct {
	Label labelOut `json:"label"`
}

func (c *call) addLabel(in *labelAdd) (done[labelAnswer], error) {
	var bad problems
	of := contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad)))
	name, colour := in.Name.checkedValue("name", &bad), contract.LabelColour(in.Colour.checkedValue("colour", &bad))
	if err := bad.asError(); err != nil {
		return done[labelAnswer]{}, err
	}
	return runOperation(c, func(ctx context.Context) (contract.Label, error) {
		return c.Workflow.AddLabel(ctx, c.by, of, name, colour)
	}, func(l contract.Label) done[labelAnswer] {
		return doneAnswer(c, "done.label_added", labelAnswer{labelOf(l)})
	})
}

func (c *call) changeLabel(in *labelChange) (done[labelAnswer], error) {
	var bad problems
	name, colour := in.Name.checkedValue("name", &bad), contract.LabelColour(in.Colour.checkedValue("colour", &bad))
	if err := bad.asError(); err != nil {
		return done[labelAnswer]{}, err
	}
	l, err := c.Workflow.ChangeLabel(c.r.Context(), c.by, c.pathLabel(), name, colour)
	if err != nil {
		return done[labelAnswer]{}, err
	}
	return doneAnswer(c, "done.label_changed", labelAnswer{labelOf(l)}), nil
}

func (c *call) deleteLabel() (noted, error) {
	if err := c.Workflow.DeleteLabel(c.r.Context(), c.by, c.pathLabel()); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.label_deleted"), nil
}

func (c *call) pathLabel() contract.LabelID {
	return contract.LabelID(parsePersonID(c.r.PathValue("label_id")))
}

type labelledIn struct {
	Documents list[documentIn] `json:"documents" required:"true" doc:"up to 100"`
	Add       list[phrase]     `json:"add" required:"false" doc:"UUIDs of labels; missing: none"`
	Remove    list[phrase]     `json:"remove" required:"false" doc:"UUIDs of labels; missing: none"`
}

// filedData has what became of each document, in the order of the request.
type filedData struct {
	Results []filedResult `json:"results"`
}

type filedResult struct {
	DocumentID contract.DocumentID `json:"document_id" example:"1207"`
	Code       int                 `json:"code" doc:"as the status of an answer" example:"200"`
	Success    bool                `json:"success"`
	Msg        string              `json:"msg" example:"Label dokumen telah disimpan."`
	Error      *failureDetail      `json:"error,omitempty" doc:"why the document is as it was"`
	Labels     []labelOut          `json:"labels,omitempty" doc:"of the caller's organisation, on its documents, by name; missing: none"`
	Folder     *folderOut          `json:"folder,omitempty" doc:"of the caller, or of the team that the request names, in which the document is; missing: none"`
}

func (c *call) labelDocuments(in *labelledIn) (done[filedData], error) {
	var bad problems
	ids := parseDocuments(in.Documents, &bad)
	add, remove := parseLabels("add", in.Add, &bad), parseLabels("remove", in.Remove, &bad)
	if err := bad.asError(); err != nil {
		return done[filedData]{}, err
	}
	all, err := c.Workflow.LabelDocuments(c.r.Context(), c.by, ids, add, remove)
	return c.filedAnswer("done.labelled", all), err
}

// parseDocuments reads which documents a request names, each once.
func parseDocuments(l list[documentIn], bad *problems) (ids []contract.DocumentID) {
	items := l.checkedValue("documents", bad)
	switch {
	case len(items) == 0 && len(*bad) == 0:
		bad.add("documents", "value.required")
	case len(items) > contract.MaxFiledTogether:
		bad.add("documents", "value.too_many", "limit", contract.MaxFiledTogether)
		return nil
	}
	for i, item := range items {
		var inner problems
		if id := parseDocumentID(item.DocumentID, &inner); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		bad.addBelow(fmt.Sprintf("documents[%d].", i), inner)
	}
	return ids
}

func parseLabels(field string, l list[phrase], bad *problems) (ids []contract.LabelID) {
	items := l.checkedValue(field, bad)
	if len(items) > contract.MaxLabels {
		bad.add(field, "value.too_many", "limit", contract.MaxLabels)
		return nil
	}
	for i, item := range items {
		ids = append(ids, contract.LabelID(parsePersonID(item.checkedValue(fmt.Sprintf("%s[%d]", field, i), bad))))
	}
	return ids
}

// filedAnswer answers what became of documents. A refusal is rendered as an operation on the one document answers it.
func (c *call) filedAnswer(msg string, all []workflow.FiledDocument) done[filedData] {
	return doneAnswer(c, msg, filedData{convertAll(all, func(f workflow.FiledDocument) filedResult {
		if f.Err != nil {
			status, e, _ := refusalOf(c.r.Context(), f.Err)
			out := newFailure(c.exchange, status, e.Code, e)
			return filedResult{DocumentID: f.ID, Code: out.Code, Msg: out.Msg, Error: &out.Error}
		}
		out := filedResult{DocumentID: f.ID, Code: http.StatusOK, Success: true, Msg: c.sentenceOf(msg)}
		out.Labels, out.Folder = filingOf(f.Filed)
		return out
	})})
}

type foldersData struct {
	Folders []folderOut `json:"folders" doc:"by name"`
}

func (c *call) listFolders() (foldersData, error) {
	all, err := c.Workflow.Folders(c.r.Context(), c.by, parseTeamID(c.r.URL.Query().Get("team")))
	return foldersData{convertAll(all, func(f contract.Folder) folderOut { return folderOut{f.ID, f.Name} })}, err
}

type folderIn struct {
	Name phrase `json:"name" required:"true" doc:"at most 60 characters" example:"Kantor Bandung"`
}

type newFolderIn struct {
	Name phrase `json:"name" required:"true" doc:"at most 60 characters" example:"Kantor Bandung"`
	Team phrase `json:"team" required:"false" doc:"UUID of a team of the caller, whose list the folder sorts; missing or empty: the caller's own lists" example:"3b0f6a52-4f0e-4d35-9f0b-0e7f6d3c2b1a"`
}

type folderAnswer struct {
	Folder folderOut `json:"folder"`
}

func (c *call) addFolder(in *newFolderIn) (done[folderAnswer], error) {
	var bad problems
	name, team := in.Name.checkedValue("name", &bad), parseTeamID(in.Team.checkedValue("team", &bad))
	if err := bad.asError(); err != nil {
		return done[folderAnswer]{}, err
	}
	f, err := c.Workflow.AddFolder(c.r.Context(), c.by, team, name)
	return doneAnswer(c, "done.folder_added", folderAnswer{folderOut{f.ID, f.Name}}), err
}

func (c *call) renameFolder(in *folderIn) (done[folderAnswer], error) {
	var bad problems
	name := in.Name.checkedValue("name", &bad)
	if err := bad.asError(); err != nil {
		return done[folderAnswer]{}, err
	}
	f, err := c.Workflow.RenameFolder(c.r.Context(), c.by, c.pathFolder(), name)
	return doneAnswer(c, "done.folder_renamed", folderAnswer{folderOut{f.ID, f.Name}}), err
}

func (c *call) deleteFolder() (noted, error) {
	if err := c.Workflow.DeleteFolder(c.r.Context(), c.by, c.pathFolder()); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.folder_deleted"), nil
}

func (c *call) pathFolder() contract.FolderID {
	return contract.FolderID(parsePersonID(c.r.PathValue("folder_id")))
}

type filedIn struct {
	Documents list[documentIn] `json:"documents" required:"true" doc:"up to 100"`
	Folder    phrase           `json:"folder" required:"false" doc:"UUID of a folder; missing or empty: out of the one in which it is" example:"6f1d2c3b-0a9e-4b8d-9c7f-5e4d3c2b1a02"`
	Team      phrase           `json:"team" required:"false" doc:"UUID of a team of the caller, whose folders are meant; missing or empty: the caller's own" example:"3b0f6a52-4f0e-4d35-9f0b-0e7f6d3c2b1a"`
}

func (c *call) fileDocuments(in *filedIn) (done[filedData], error) {
	var bad problems
	ids := parseDocuments(in.Documents, &bad)
	folder, team := contract.FolderID(parsePersonID(in.Folder.checkedValue("folder", &bad))), parseTeamID(in.Team.checkedValue("team", &bad))
	if err := bad.asError(); err != nil {
		return done[filedData]{}, err
	}
	all, err := c.Workflow.FileDocuments(c.r.Context(), c.by, ids, team, folder)
	return c.filedAnswer("done.filed", all), err
}

// filedParams describes the filters of lists by label and folder.
func filedParams() []*huma.Param {
	return []*huma.Param{
		{Name: "label", In: "query", Description: "Only documents with this label of the caller's organisation, by its UUID.", Schema: textSchema()},
		{Name: "folder", In: "query", Description: "Only documents in this folder of the caller, or with team of that team, by its UUID.", Schema: textSchema()},
	}
}

func folderTeamParam() *huma.Param {
	return &huma.Param{Name: "team", In: "query", Description: "UUID of a team of the caller: its folders instead of the caller's own. 404 for another team.", Schema: textSchema()}
}

func labelParam() *huma.Param {
	return &huma.Param{Name: "label_id", In: "path", Required: true, Description: "UUID of a label.", Schema: textSchema(), Example: "5d4b7c0e-1f0a-4c77-8a5e-7f6d3c2b1a01"}
}

func folderParam() *huma.Param {
	return &huma.Param{Name: "folder_id", In: "path", Required: true, Description: "UUID of a folder of the caller, or of a team of theirs.", Schema: textSchema(), Example: "6f1d2c3b-0a9e-4b8d-9c7f-5e4d3c2b1a02"}
}
