package api

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"segel/internal/contract"
	"segel/internal/text"
	"segel/internal/workflow"
)

type signIn struct {
	DocumentID integer       `json:"document_id" required:"true"`
	Digest     phrase        `json:"digest" required:"false" doc:"SHA-256 in hex of the revision that the signer saw: the ETag of preview. 409 if the current revision is another one" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Consent    *consentIn    `json:"consent" required:"false" doc:"the consent text that the signer accepted, as consent/{document_id} answers it. Missing: the log records that this service showed no text; 409 if the organisation requires one that the signer has not accepted before"`
	PagesShown list[integer] `json:"pages_shown" required:"false" doc:"numbers of the pages of the revision with this digest that were shown to the signer. Missing, or without digest: the log records that the service did not show the pages"`
	Pictures   list[integer] `json:"pictures_shown" required:"false" doc:"those of pages_shown that were shown only as pictures of page-picture, and not from the file. The log records them"`
	Specimen   phrase        `json:"specimen" required:"false" doc:"appearance of this signature: PNG or JPEG in base64, at most 1 MiB, shown as dark strokes on a transparent background. Missing: the caller's stored picture, else their printed name" example:"iVBORw0KGgo..."`
	Initials   phrase        `json:"initials" required:"false" doc:"appearance of the initials in boxes of type paraf, in the same way. Missing: that of specimen if it is given, else the caller's stored initials, else as the signature" example:"iVBORw0KGgo..."`
	OTP        phrase        `json:"otp" required:"false" doc:"a code of the authenticator app, or a recovery code, where the organisation requires a second factor for each signature (403 sign.factor_required). It is accepted once; a repeat of the same request needs no other. Ignored if the account has no second factor" example:"123456"`
	Passkey    *passkeyIn    `json:"passkey" required:"false" doc:"instead: the answer of a passkey to passkey-sign-options for this document and digest"`
	Password   phrase        `json:"password" required:"false" doc:"of a person with an account in an embedded page (403 embed.proof_required), with otp if the account has a second factor. Ignored of others"`
}

func (c *call) signDocument(in *signIn) (done[verbData], error) {
	var bad problems
	id := parseDocumentID(in.DocumentID, &bad)
	request := workflow.SignRequest{
		Shown: contract.ShownPages{Digest: parseDigest(in.Digest, &bad), Pages: parsePageNumbers("pages_shown", in.PagesShown, &bad), Pictures: parsePageNumbers("pictures_shown", in.Pictures, &bad)},
		Proof: parseProof(in.OTP, in.Passkey, &bad),
	}
	request.Proof.Password = in.Password.checkedValue("password", &bad)
	if in.Consent != nil {
		request.Accepts = append(request.Accepts, in.Consent.parse("consent.", &bad))
	}
	request.Picture, request.Initials = parsePicture(in.Specimen, "specimen", &bad), parsePicture(in.Initials, "initials", &bad)
	return runDocumentOperation(c, id, bad, "done.sign", func(ctx context.Context) (contract.Document, error) {
		return c.Workflow.Sign(ctx, c.by, id, request)
	})
}

type approveIn struct {
	DocumentID integer       `json:"document_id" required:"true"`
	Digest     phrase        `json:"digest" required:"true" doc:"SHA-256 in hex of the revision that the approver saw: the ETag of preview. 409 if the current revision is another one" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Consent    *consentIn    `json:"consent" required:"false" doc:"as in sign-docs"`
	PagesShown list[integer] `json:"pages_shown" required:"false" doc:"as in sign-docs"`
	Pictures   list[integer] `json:"pictures_shown" required:"false" doc:"as in sign-docs"`
	OTP        phrase        `json:"otp" required:"false" doc:"as in sign-docs" example:"123456"`
	Passkey    *passkeyIn    `json:"passkey" required:"false" doc:"as in sign-docs"`
	Password   phrase        `json:"password" required:"false" doc:"as in sign-docs"`
}

func (c *call) approveDocument(in *approveIn) (done[verbData], error) {
	var bad problems
	id := parseDocumentID(in.DocumentID, &bad)
	request := workflow.ApproveRequest{
		Shown: contract.ShownPages{Digest: parseDigest(in.Digest, &bad), Pages: parsePageNumbers("pages_shown", in.PagesShown, &bad), Pictures: parsePageNumbers("pictures_shown", in.Pictures, &bad)},
		Proof: parseProof(in.OTP, in.Passkey, &bad),
	}
	request.Proof.Password = in.Password.checkedValue("password", &bad)
	if in.Consent != nil {
		request.Accepts = append(request.Accepts, in.Consent.parse("consent.", &bad))
	}
	return runDocumentOperation(c, id, bad, "done.approve", func(ctx context.Context) (contract.Document, error) {
		return c.Workflow.Approve(ctx, c.by, id, request)
	})
}

type signManyIn struct {
	Documents list[documentToSignIn] `json:"documents" required:"true" doc:"what to sign, in this order: at most 100 documents, none twice"`
	Consent   list[consentItemIn]    `json:"consent" required:"false" doc:"the whole list that the signer consented to, if documents is a part of it. Missing: documents"`
	Texts     list[consentIn]        `json:"consent_texts" required:"false" doc:"the consent texts that the signer accepted, as consent in sign-docs: one for each organisation whose documents are signed"`
	Specimen  phrase                 `json:"specimen" required:"false" doc:"appearance of all these signatures, as in sign-docs" example:"iVBORw0KGgo..."`
	Initials  phrase                 `json:"initials" required:"false" doc:"appearance of the initials, as in sign-docs" example:"iVBORw0KGgo..."`
	OTP       phrase                 `json:"otp" required:"false" doc:"as in sign-docs, once for all requests with the same consent" example:"123456"`
	Passkey   *passkeyIn             `json:"passkey" required:"false" doc:"instead: the answer of a passkey to passkey-sign-options for the list of consent"`
}

type consentItemIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	Digest     phrase  `json:"digest" required:"true" doc:"SHA-256 in hex of the revision: the ETag of preview, or digest of pages" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
}

type documentToSignIn struct {
	DocumentID integer       `json:"document_id" required:"true"`
	Digest     phrase        `json:"digest" required:"true" doc:"as in consent" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	PagesShown list[integer] `json:"pages_shown" required:"false" doc:"as in sign-docs, of this document"`
	Pictures   list[integer] `json:"pictures_shown" required:"false" doc:"as in sign-docs, of this document"`
}

// signManyData is the answer to a request to sign several documents.
type signManyData struct {
	Consent consentData  `json:"consent"`
	Results []signedData `json:"results" doc:"one for each document, in the order of the request"`
}

// consentData is a consent as the log records it.
type consentData struct {
	Documents int    `json:"documents" doc:"how many documents the list has" example:"40"`
	Digest    string `json:"digest" doc:"SHA-256 in hex of the list, as the log records it" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
}

// signedData is what became of one document.
type signedData struct {
	DocumentID   contract.DocumentID `json:"document_id" example:"1207"`
	Code         int                 `json:"code" doc:"the HTTP status of sign-docs for this document" example:"200"`
	Success      bool                `json:"success" doc:"whether the document has the caller's signature"`
	Msg          string              `json:"msg" doc:"a sentence in the language of the request" example:"Dokumen berhasil ditandatangani."`
	SignedBefore bool                `json:"signed_before,omitempty" doc:"an earlier request signed this revision"`
	Status       contract.State      `json:"status,omitempty" doc:"of a document that was signed" example:"processing"`
	Mode         contract.Mode       `json:"mode,omitempty" enum:"signing,stamping" example:"signing"`
	Error        *failureDetail      `json:"error,omitempty" doc:"why the document was not signed"`
}

func (c *call) signMany(in *signManyIn) (done[signManyData], error) {
	var bad problems
	request := workflow.SignManyRequest{Picture: parsePicture(in.Specimen, "specimen", &bad), Initials: parsePicture(in.Initials, "initials", &bad), Proof: parseProof(in.OTP, in.Passkey, &bad)}
	entries := in.Documents.checkedValue("documents", &bad)
	if len(entries) == 0 && len(bad) == 0 {
		bad.add("documents", "value.required")
	}
	if len(entries) > contract.MaxConsentDocuments { // the rule refuses them by their number
		entries = entries[:contract.MaxConsentDocuments+1]
	}
	for i, e := range entries {
		var inner problems
		d := workflow.DocumentToSign{ConsentItem: parseConsentItem(e.DocumentID, e.Digest, &inner), Pages: parsePageNumbers("pages_shown", e.PagesShown, &inner), Pictures: parsePageNumbers("pictures_shown", e.Pictures, &inner)}
		request.Documents = append(request.Documents, d)
		bad.addBelow(fmt.Sprintf("documents[%d].", i), inner)
	}
	consented := in.Consent.checkedValue("consent", &bad)
	if len(consented) > contract.MaxConsentDocuments {
		consented = consented[:contract.MaxConsentDocuments+1]
	}
	for i, e := range consented {
		var inner problems
		request.Consented = append(request.Consented, parseConsentItem(e.DocumentID, e.Digest, &inner))
		bad.addBelow(fmt.Sprintf("consent[%d].", i), inner)
	}
	texts := in.Texts.checkedValue("consent_texts", &bad)
	if len(texts) > contract.MaxConsentDocuments {
		bad.add("consent_texts", "value.too_many", "limit", contract.MaxConsentDocuments)
		texts = nil
	}
	for i, t := range texts {
		request.Accepts = append(request.Accepts, t.parse(fmt.Sprintf("consent_texts[%d].", i), &bad))
	}
	if err := bad.asError(); err != nil {
		return done[signManyData]{}, err
	}
	if len(consented) == 0 {
		for _, d := range request.Documents {
			request.Consented = append(request.Consented, d.ConsentItem)
		}
	}
	consent := contract.NewConsent(request.Consented)
	return runOperation(c, func(ctx context.Context) ([]workflow.SignResult, error) {
		results, err := c.Workflow.SignMany(ctx, c.by, request)
		if c.keyed != nil {
			c.keyed.unfinished = slices.ContainsFunc(results, func(r workflow.SignResult) bool { return !r.IsFinal() })
		}
		for _, r := range results {
			if _, _, cause := refusalOf(ctx, r.Err); r.Err != nil && cause != nil {
				c.cause = errors.Join(c.cause, fmt.Errorf("document %d: %w", r.ID, cause))
			}
		}
		return results, err
	}, func(results []workflow.SignResult) done[signManyData] {
		data := signManyData{Consent: consentData{consent.Documents, hex.EncodeToString(consent.Digest[:])}}
		signed := 0
		for i := range results {
			data.Results = append(data.Results, c.signedDataOf(&results[i]))
			if results[i].Err == nil {
				signed++
			}
		}
		out := doneAnswer(c, "done.sign_many", data)
		out.Msg = text.Sentence(c.language, "done.sign_many", map[string]any{"signed": signed, "documents": len(results)})
		return out
	})
}

// signedDataOf renders the result of one document. A refusal is rendered as sign-docs answers it.
func (c *call) signedDataOf(r *workflow.SignResult) signedData {
	if r.Err != nil {
		status, e, _ := refusalOf(c.r.Context(), r.Err)
		f := newFailure(c.exchange, status, e.Code, e)
		return signedData{DocumentID: r.ID, Code: f.Code, Msg: f.Msg, Error: &f.Error}
	}
	return signedData{
		DocumentID: r.ID, Code: http.StatusOK, Success: true, Msg: c.sentenceOf("done.sign"), SignedBefore: r.SignedBefore, Status: r.Document.State, Mode: r.Document.Mode,
	}
}

// parseProof reads what a person presents beside their password or their session.
func parseProof(otp phrase, passkey *passkeyIn, bad *problems) contract.GivenFactor {
	g := passkey.parseAnswer("passkey.", bad)
	g.OTP = otp.checkedValue("otp", bad)
	return g
}

// parseConsentItem reads which revision of which document is meant. Both are required.
func parseConsentItem(id integer, digest phrase, bad *problems) contract.ConsentItem {
	item := contract.ConsentItem{Document: parseDocumentID(id, bad), Digest: parseDigest(digest, bad)}
	if item.Digest == ([32]byte{}) && len(*bad) == 0 {
		bad.add("digest", "value.required")
	}
	return item
}

// parsePageNumbers reads page numbers. The rule checks whether the document has these pages.
func parsePageNumbers(field string, l list[integer], bad *problems) []int {
	items := l.checkedValue(field, bad)
	if len(items) > maxItems {
		bad.add(field, "value.too_many", "limit", maxItems)
		return nil
	}
	var pages []int
	for i, n := range items {
		pages = append(pages, int(min(n.checkedValue(fmt.Sprintf("%s[%d]", field, i), 0, bad), math.MaxInt32)))
	}
	return pages
}

// parseDigest reads a SHA-256 in hex. It returns zero when none is given.
func parseDigest(p phrase, bad *problems) (sum [32]byte) {
	s := strings.TrimSpace(p.checkedValue("digest", bad))
	if s == "" {
		return sum
	}
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(sum) {
		bad.add("digest", "value.not_hex")
		return sum
	}
	copy(sum[:], b)
	if sum == ([32]byte{}) {
		// Zero would mean that none was given. No revision has this digest.
		sum[0] = 1
	}
	return sum
}

// parsePicture reads a picture in base64, or as a data URL. It returns nil when none is given.
func parsePicture(p phrase, field string, bad *problems) []byte {
	s := p.checkedValue(field, bad)
	if rest, ok := strings.CutPrefix(s, "data:"); ok {
		_, s, _ = strings.Cut(rest, ",")
	}
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		bad.add(field, "value.not_base64")
		return nil
	}
	return b
}
