package pdf

import "strings"

// internedWords are words that files are full of: each is kept once, not once for each time that it is read.
var internedWords, internedNames = newInternTables(`R obj endobj stream endstream xref startxref trailer true false null n f
A AA ABC AP AS AcroForm Action Alt Annot Annots ArtBox Artifact Ascent Author AvgWidth
BBox BC BG BM BS Base BaseEncoding BaseFont BitsPerComponent BleedBox Border Btn ByteRange
C CA CFM CIDFontType0 CIDFontType2 CIDSystemInfo CIDToGIDMap CRLs CS Cap CapHeight Catalog Cert Certs CharProcs CharSet
Class ColorSpace Colors Columns Contents Count CreationDate Creator CropBox
D DA DCTDecode DR DSS DW DecodeParms DefaultRGB DescendantFonts Descent Dest Dests DeviceCMYK DeviceGray DeviceRGB
Differences DocChecksum DocMDP DocTimeStamp Document
E ETSI.CAdES.detached ETSI.RFC3161 Encoding Encrypt EncryptMetadata ExtGState Extensions Extends
F FT Ff Fields Filter First FirstChar FlateDecode Flags Font FontBBox FontDescriptor FontFile FontFile2 FontFile3
FontMatrix FontName Form FormType
G GS0 Group H Height I ICCBased ID IRT Identity Identity-H Image ImageB ImageC ImageI Index Indexed Info Interpolate Intent
Isolated ItalicAngle K Keywords Kids
L LW Lang Last LastChar Leading Length Length1 Length2 Length3 Limits Linearized Link Lock
M MCID MK MacRomanEncoding MarkInfo Marked Mask Matrix MaxWidth MediaBox Metadata MissingWidth ModDate
N NM Name Names Nums NeedAppearances Normal Next O OBJR OC OCG OCGs OCProperties OCSP OCSPs ObjStm Off OpenAction Ordering Outlines Ownership
P PDF Page PageLabels PageLayout PageMode Pages Params Parent ParentTree Pattern Perms Pg Popup Predictor Prev ProcSet Producer
Properties Q R0 Range Reason Rect Reference Registry Resources Root Rotate Row
S SMask SV Saturation Shading Sig SigFieldLock SigFlags Sigs Size Span Standard StemH StemV StmF StrF StructParent
StructParents StructTreeRoot Subfilter SubFilter Subject Subtype Supplement
T TS TU TT0 Tabs Text Title ToUnicode TransformMethod TransformParams Transparency TrimBox TrueType Tx Type Type0 Type1 Type3
U UserUnit V VRI Version ViewerPreferences W WMode Widget Width Widths WinAnsiEncoding X XML XObject XRef XRefStm XHeight XYZ
adbe.pkcs7.detached ca op OP`)

// newInternTables makes the tables: of words by themselves, and of names as the objects that they are.
func newInternTables(words string) (map[string]string, map[string]Object) {
	texts, names := map[string]string{}, map[string]Object{}
	for _, w := range strings.Fields(words) {
		texts[w], names[w] = w, Name(w)
	}
	return texts, names
}

// internWord is the text of a word.
func internWord(b []byte) string {
	if w, ok := internedWords[string(b)]; ok {
		return w
	}
	return string(b)
}
