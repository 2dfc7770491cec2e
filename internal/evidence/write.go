package evidence

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"image"
	"io"
	"strconv"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/pades/appearance"
	"segel/pdf"
)

// Bounds of pictures.
const (
	MaxPictures       = 24  // of a certificate
	pictureSidePixels = 320 // of the longer side
	maxPictureBytes   = 48 << 10
)

// Picture is a picture of a page of the completed document.
type Picture struct {
	Page  int // from 1
	Image image.Image
}

// Input is what a certificate is made of.
type Input struct {
	Facts    *Facts
	Zone     *time.Location // in which times are written, beside UTC; nil: Jakarta
	Proof    []byte         // as [audit.Proof.Marshal] returns it
	Pictures []Picture      // at most MaxPictures, by page; none if nothing draws them
	Random   io.Reader      // for the identifier of the file; nil is crypto/rand
}

// Write returns the certificate without a signature: PDF/A-3 with conformance A (ISO 19005-3), tagged, in Indonesian with English beside it.
// The same input gives the same bytes.
func Write(in Input) ([]byte, error) {
	facts, err := in.Facts.Marshal()
	if err != nil {
		return nil, err
	}
	l := newLayout()
	l.zone = cmp.Or(in.Zone, contract.Jakarta)
	if err := l.addFacts(in.Facts, in.Pictures); err != nil {
		return nil, err
	}
	if l.err != nil {
		return nil, fmt.Errorf("set evidence certificate: %w", l.err)
	}
	return l.buildFile(in, []attachment{{ProofFile, in.Proof}, {FactsFile, facts}})
}

// addFacts sets the text of the certificate.
func (l *layout) addFacts(f *Facts, pictures []Picture) error {
	l.addHeading(l.root, "H1", titleWords, titleStyle)
	l.skipSpace(8)
	l.addTexts(l.root, leadWords, plainStyle)
	if f.Document.Specimen {
		l.skipSpace(6)
		l.addTexts(l.root, specimenWords, warnStyle)
	}
	l.addDocument(f)
	people := l.addSection(peopleWords)
	for _, p := range f.People {
		if l.isFull() {
			break
		}
		l.addPerson(people, p, f.People)
	}
	if len(f.Stamps) > 0 {
		table := l.addSection(stampsWords).addKid("Table")
		for _, s := range f.Stamps {
			if l.isFull() {
				break
			}
			l.addRow(table, serialLabel.format(s.Serial), stampWords.format(s.Page, l.formatTime(s.AffixedAt)))
		}
	}
	table := l.addSection(revisionsWords).addKid("Table")
	for i, r := range f.Revisions {
		if l.isFull() {
			break
		}
		kind, known := revisionKinds[r.Kind]
		if !known {
			kind = same(r.Kind)
		}
		if r.By != "" {
			kind = words{kind.id + ": " + r.By, kind.en + ": " + r.By}
		}
		l.addRow(table, words{fmt.Sprintf("%d. %s", i+1, kind.id), kind.en}, same(r.Digest), same(fmt.Sprintf("%d B", r.Size)), same(l.formatTime(r.At)))
	}
	l.addConsents(f)
	if l.isFull() {
		l.addTexts(l.root, cutWords, warnStyle)
	}
	if err := l.addPagePictures(f, pictures); err != nil {
		return err
	}
	log := l.addSection(logWords)
	l.addTexts(log, logLead, plainStyle)
	l.addRow(log.addKid("Table"), logKeyLabel, same(f.LogKey))
	return nil
}

// addConsents adds the words of the consent texts that signers accepted.
func (l *layout) addConsents(f *Facts) {
	for _, c := range f.Consents {
		section := l.addSection(consentSection.format(c.Version))
		for _, text := range []struct{ words, language string }{{c.ID, ""}, {c.EN, languageEN}} {
			l.skipSpace(4)
			for _, line := range strings.Split(text.words, "\n") {
				if l.isFull() {
					return
				}
				if strings.TrimSpace(line) == "" {
					l.skipSpace(4)
					continue
				}
				p, s := section.addKid("P"), plainStyle
				if p.language = text.language; text.language != "" {
					s = greyStyle
				}
				for _, part := range splitLong(line) {
					l.addParagraph(p, part, s)
				}
			}
		}
	}
}

func (l *layout) addDocument(f *Facts) {
	d := &f.Document
	table := l.addSection(documentWords).addKid("Table")
	l.addRow(table, titleLabel, same(d.Title))
	l.addRow(table, numberLabel, same(strconv.FormatInt(d.Number, 10)))
	l.addRow(table, filenameLabel, same(d.Filename))
	l.addRow(table, digestLabel, same(d.Digest))
	l.addRow(table, sizeLabel, same(fmt.Sprintf("%d B", d.Size)))
	l.addRow(table, pagesLabel, same(strconv.Itoa(d.Pages)))
	l.addRow(table, ownerLabel, same(joinParts(joinParts(d.Owner, d.OwnerEmail), d.Organisation)))
	l.addRow(table, createdLabel, same(l.formatTime(d.CreatedAt)))
	l.addRow(table, finalizedLabel, same(l.formatTime(d.FinalizedAt)))
	l.addRow(table, completedLabel, same(l.formatTime(d.CompletedAt)))
	l.addRow(table, madeLabel, same(l.formatTime(f.MadeAt)))
}

// joinParts joins two texts of which either may be empty.
func joinParts(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}

// addPerson adds what the facts say about one of the people.
func (l *layout) addPerson(parent *element, p Person, people []Person) {
	if l.y-120 < bottom {
		l.y = bottom
	}
	l.skipSpace(10)
	section := parent.addKid("Sect")
	l.addHeading(section, "H3", same(p.Name), personStyle)
	table := section.addKid("Table")
	role, known := roleWords[cmp.Or(p.Capacity, p.Role)]
	if !known {
		role = roleWords[p.Role]
	}
	l.addRow(table, roleLabel, role.format(p.Number))
	if group := p.groupWords(people); group.id != "" {
		l.addRow(table, groupLabel, group)
	}
	if p.Email != "" {
		l.addRow(table, emailLabel, same(p.Email))
	}
	if p.Phone != "" {
		l.addRow(table, phoneLabel, same(p.Phone))
	}
	var invited []words
	for _, i := range p.Invitations {
		w, known := invitationWords[i.How]
		if !known {
			w = same(i.How)
		}
		if i.How == ByMail || i.How == ByReminder || i.How == ByMailRejected {
			w = w.format(i.Address)
		}
		if i.Channel != "" {
			w = w.format(channelName(i.Channel), i.Address)
		}
		at := l.formatTime(i.At)
		invited = append(invited, words{at + ": " + w.id, at + ": " + w.en})
	}
	if !p.Guest {
		invited = append(invited, memberWords)
	}
	if len(invited) == 0 {
		invited = append(invited, unknownWords)
	}
	l.addRow(table, invitationsLabel, invited...)
	if g := p.Delegated; g != nil {
		said := []words{delegatedWords.format(l.formatTime(g.At), g.Name, g.Address)}
		if g.Reason != "" {
			said = append(said, same(g.Reason))
		}
		if g.IP != "" {
			said = append(said, same("IP "+g.IP))
		}
		l.addRow(table, delegatedLabel, said...)
	}
	if !p.ViewedAt.IsZero() {
		l.addRow(table, viewedLabel, same(l.formatTime(p.ViewedAt)))
	}
	switch {
	case p.Signature != nil:
		l.addSignature(table, p.Name, p.Signature, signedLabel)
	case p.Approval != nil:
		l.addSignature(table, p.Name, p.Approval, approvedLabel)
	case p.Capacity == string(contract.Approver):
		l.addRow(table, approvedLabel, notApprovedWords)
	case p.Role == "signer":
		l.addRow(table, signedLabel, notSignedWords)
	}
}

// addSignature adds the rows of a signature or of an approval, which has no certificate. Label is that of its time.
func (l *layout) addSignature(table *element, name string, s *Signature, label words) {
	l.addRow(table, seenLabel, revisionWords.format(s.Revision), same(s.Seen))
	var consent []words
	if !s.ConsentedAt.IsZero() {
		consent = append(consent, consentAt.format(l.formatTime(s.ConsentedAt)))
	}
	switch s.PagesShown {
	case "":
	case "none":
		consent = append(consent, nothingShown)
	default:
		consent = append(consent, pagesShownWords.format(s.PagesShown))
		if s.PagesAsPictures != "" {
			consent = append(consent, asPicturesWords.format(s.PagesAsPictures))
		}
	}
	if s.ConsentDocuments > 0 {
		consent = append(consent, listConsentWords.format(s.ConsentDocuments), same(s.ConsentDigest))
	}
	if w := s.consentWords(); w.id != "" {
		consent = append(consent, w)
	}
	switch {
	case s.ConsentText == contract.NoConsentText:
		consent = append(consent, noConsentText)
	case s.ConsentText != "" && s.ConsentTextAt.IsZero():
		consent = append(consent, acceptedWords.format(s.ConsentText), same("SHA-256 ("+s.ConsentLanguage+"): "+s.ConsentTextDigest))
	case s.ConsentText != "":
		consent = append(consent, acceptedBefore.format(s.ConsentText, l.formatTime(s.ConsentTextAt), s.ConsentTextWith), same("SHA-256 ("+s.ConsentLanguage+"): "+s.ConsentTextDigest))
	}
	l.addRow(table, consentLabel, consent...)
	signed := []words{same(l.formatTime(s.SignedAt))}
	if s.Key != "" {
		signed = append(signed, keyWords.format(s.Key, name))
	}
	if s.Page != "" {
		signed = append(signed, framedWords.format(s.Page, s.EmbeddedBy))
		if s.EmbeddedKey != "" {
			signed = append(signed, framedKeyWords.format(s.EmbeddedKey))
		}
	}
	l.addRow(table, label, signed...)
	if s.IP == "" {
		l.addRow(table, addressLabel, unknownWords)
	} else {
		l.addRow(table, addressLabel, same(s.IP))
	}
	verified := []words{s.identityWords()}
	switch {
	case s.Mailbox != "":
		verified = append(verified, mailboxWords.format(s.Mailbox, s.MailboxAt))
	case s.PhoneAt != "":
		verified = append(verified, phoneWords.format(s.Phone, channelName(s.PhoneChannel), s.PhoneAt))
	case s.Link == string(contract.LinkHandedOut):
		verified = append(verified, handedOutWords)
	}
	if w := s.factorWords(); w != (words{}) {
		verified = append(verified, w)
	}
	l.addRow(table, verifiedLabel, verified...)
	if label == approvedLabel {
		return
	}
	certificate := []words{unknownWords}
	if c := s.Certificate; c.Serial != "" {
		certificate = []words{serialWords.format(c.Serial)}
		if c.Subject != "" {
			certificate = []words{subjectWords.format(c.Subject), issuerWords.format(c.Issuer), serialWords.format(c.Serial), same("SHA-256: " + c.SHA256)}
		}
	}
	l.addRow(table, certificateLabel, certificate...)
}

func (l *layout) addPagePictures(f *Facts, pictures []Picture) error {
	section := l.addSection(picturesWords)
	if len(pictures) == 0 {
		l.addTexts(section, notDrawnWords, plainStyle)
		return nil
	}
	pictures = pictures[:min(len(pictures), MaxPictures)]
	l.addTexts(section, drawnWords.format(len(pictures), f.Document.Pages), plainStyle)
	l.skipSpace(6)
	return l.addPictures(section, pictures)
}

// attachment is an attached file.
type attachment struct {
	name string
	data []byte
}

// buildFile makes the file: the pages, their structure, and what PDF/A-3 requires.
func (l *layout) buildFile(in Input, files []attachment) ([]byte, error) {
	base := emptyFile()
	d, err := pdf.Open(bytes.NewReader(base), int64(len(base)), pdf.Options{Random: in.Random})
	if err != nil {
		return nil, fmt.Errorf("open empty file: %w", err)
	}
	u, pool := d.NewUpdate(), appearance.NewResourcePool(d)
	pageRefs := make([]pdf.Ref, len(l.pages))
	for i := range l.pages {
		pageRefs[i] = u.Reserve()
	}
	var kids pdf.Array
	for i, page := range l.pages {
		page.Artifact(func(d *appearance.Drawing) {
			setText(d, margin, margin, 80, fmt.Sprintf("%d / %d", i+1, len(l.pages)), smallStyle, appearance.Start)
			setText(d, margin+80, margin, pageWidth-2*margin-80, in.Facts.Document.Digest, smallStyle, appearance.End)
		})
		content, resources, err := page.PageContent(u, pool)
		if err != nil {
			return nil, fmt.Errorf("page %d: %w", i+1, err)
		}
		u.Set(pageRefs[i], pdf.Dict{
			"Type": pdf.Name("Page"), "Parent": pdf.Ref{Number: pagesNumber}, "MediaBox": pdf.Rect{URX: pageWidth, URY: pageHeight}.Array(),
			"Resources": resources, "Contents": u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: content}), "StructParents": pdf.Integer(i), "Tabs": pdf.Name("S"),
		})
		kids = append(kids, pageRefs[i])
	}
	u.Set(pdf.Ref{Number: pagesNumber}, pdf.Dict{"Type": pdf.Name("Pages"), "Kids": kids, "Count": pdf.Integer(len(kids))})
	title := titleWords.id + " / " + titleWords.en
	metadata, err := formatMetadata(title, in.Facts.MadeAt)
	if err != nil {
		return nil, err
	}
	attached, names := attachFiles(u, files, in.Facts.MadeAt)
	u.Set(pdf.Ref{Number: catalogNumber}, pdf.Dict{
		"Type": pdf.Name("Catalog"), "Pages": pdf.Ref{Number: pagesNumber}, "Lang": pdf.TextString(languageID),
		"ViewerPreferences": pdf.Dict{"DisplayDocTitle": pdf.Boolean(true)},
		"MarkInfo":          pdf.Dict{"Marked": pdf.Boolean(true)},
		"StructTreeRoot":    l.addStructure(u, pageRefs),
		// Metadata is not compressed, so that programs that do not read PDF find it.
		"Metadata": u.Add(&pdf.Stream{Dict: pdf.Dict{"Type": pdf.Name("Metadata"), "Subtype": pdf.Name("XML")}, Data: metadata, Plain: true}),
		"OutputIntents": pdf.Array{pdf.Dict{
			"Type": pdf.Name("OutputIntent"), "S": pdf.Name("GTS_PDFA1"), "OutputConditionIdentifier": pdf.TextString("sRGB IEC61966-2.1"),
			"Info": pdf.TextString("sRGB IEC61966-2.1"), "DestOutputProfile": u.Add(&pdf.Stream{Dict: pdf.Dict{"N": pdf.Integer(3)}, Data: srgbProfile()}),
		}},
		"AF": attached, "Names": pdf.Dict{"EmbeddedFiles": pdf.Dict{"Names": names}},
	})
	tail, err := u.Build()
	if err != nil {
		return nil, fmt.Errorf("write evidence certificate: %w", err)
	}
	return rewriteFile(append(base, tail.Bytes...), in.Random)
}

// rewriteFile returns the file as one revision.
func rewriteFile(b []byte, random io.Reader) ([]byte, error) {
	d, err := pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{Random: random})
	if err != nil {
		return nil, fmt.Errorf("open evidence certificate: %w", err)
	}
	var out bytes.Buffer
	if _, err := d.Rewrite(&out, pdf.RewriteOptions{}); err != nil {
		return nil, fmt.Errorf("write evidence certificate: %w", err)
	}
	return out.Bytes(), nil
}

// attachFiles adds files as associated files of the document (ISO 19005-3 §6.8), and returns their specifications and the entries of the
// name tree, in which names ascend: so must those of the files.
func attachFiles(u *pdf.Update, files []attachment, at time.Time) (specs, names pdf.Array) {
	for _, f := range files {
		stream := u.Add(&pdf.Stream{Dict: pdf.Dict{
			"Type": pdf.Name("EmbeddedFile"), "Subtype": pdf.Name("application/json"),
			"Params": pdf.Dict{"ModDate": pdf.String{Bytes: []byte(at.UTC().Format("D:20060102150405Z"))}, "Size": pdf.Integer(len(f.data))},
		}, Data: f.data})
		what := attachments[f.name]
		spec := u.Add(pdf.Dict{
			"Type": pdf.Name("Filespec"), "F": pdf.String{Bytes: []byte(f.name)}, "UF": pdf.TextString(f.name), "AFRelationship": pdf.Name("Data"),
			"Desc": pdf.TextString(what.id + " / " + what.en), "EF": pdf.Dict{"F": stream, "UF": stream},
		})
		specs, names = append(specs, spec), append(names, pdf.String{Bytes: []byte(f.name)}, spec)
	}
	return specs, names
}

// addStructure adds the structure tree (ISO 32000-2 §14.7) and returns its root.
func (l *layout) addStructure(u *pdf.Update, pages []pdf.Ref) pdf.Ref {
	root := u.Reserve()
	refs := map[*element]pdf.Ref{}
	top := addElement(u, l.root, root, pages, refs)
	var numbers pdf.Array
	for i, list := range l.contents {
		var parents pdf.Array
		for _, e := range list {
			parents = append(parents, refs[e])
		}
		numbers = append(numbers, pdf.Integer(i), u.Add(parents))
	}
	u.Set(root, pdf.Dict{
		"Type": pdf.Name("StructTreeRoot"), "K": pdf.Array{top}, "ParentTree": u.Add(pdf.Dict{"Nums": numbers}),
		"ParentTreeNextKey": pdf.Integer(len(l.contents)),
	})
	return root
}

// addElement adds an element with those below it, except those without any content.
func addElement(u *pdf.Update, e *element, parent pdf.Ref, pages []pdf.Ref, refs map[*element]pdf.Ref) pdf.Ref {
	ref := u.Reserve()
	refs[e] = ref
	dict := pdf.Dict{"Type": pdf.Name("StructElem"), "S": pdf.Name(e.tag), "P": parent}
	if e.language != "" {
		dict["Lang"] = pdf.TextString(e.language)
	}
	if e.alt != "" {
		dict["Alt"] = pdf.TextString(e.alt)
	}
	if e.attrs != nil {
		dict["A"] = e.attrs
	}
	var kids pdf.Array
	for _, kid := range e.kids {
		if !kid.isEmpty() {
			kids = append(kids, addElement(u, kid, ref, pages, refs))
		}
	}
	for _, c := range e.content {
		kids = append(kids, pdf.Dict{"Type": pdf.Name("MCR"), "Pg": pages[c.page], "MCID": pdf.Integer(c.id)})
	}
	dict["K"] = kids
	u.Set(ref, dict)
	return ref
}

func (e *element) isEmpty() bool {
	for _, kid := range e.kids {
		if !kid.isEmpty() {
			return false
		}
	}
	return len(e.content) == 0
}

// Object numbers of the empty file.
const catalogNumber, pagesNumber = 1, 2

// emptyFile is a file without pages. PDF/A-3 is based on PDF 1.7.
func emptyFile() []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
	catalog := b.Len()
	fmt.Fprintf(&b, "%d 0 obj\n<< /Type /Catalog /Pages %d 0 R >>\nendobj\n", catalogNumber, pagesNumber)
	pages := b.Len()
	fmt.Fprintf(&b, "%d 0 obj\n<< /Type /Pages /Kids [] /Count 0 >>\nendobj\n", pagesNumber)
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 3\n0000000000 65535 f \n%010d 00000 n \n%010d 00000 n \n", catalog, pages)
	fmt.Fprintf(&b, "trailer\n<< /Size 3 /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n", catalogNumber, xref)
	return b.Bytes()
}

// formatMetadata returns the XMP packet, which claims conformance (ISO 19005-3 §6.6.4).
func formatMetadata(title string, at time.Time) ([]byte, error) {
	var escaped bytes.Buffer
	if err := xml.EscapeText(&escaped, []byte(title)); err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `<?xpacket begin="`+"\uFEFF"+`" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"><pdfaid:part>3</pdfaid:part><pdfaid:conformance>A</pdfaid:conformance></rdf:Description>
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">%s</rdf:li></rdf:Alt></dc:title><dc:language><rdf:Bag><rdf:li>%s</rdf:li><rdf:li>%s</rdf:li></rdf:Bag></dc:language></rdf:Description>
<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/"><xmp:CreatorTool>Segel</xmp:CreatorTool><xmp:CreateDate>%s</xmp:CreateDate></rdf:Description>
</rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`, escaped.Bytes(), languageID, languageEN, at.UTC().Format(time.RFC3339)), nil
}
