package api

import (
	"io"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/export"
	"segel/internal/store"
	"segel/internal/text"
	"segel/internal/workflow"
)

// loginLine is what is recorded about logins of one account from one place in one minute, or in one hour for those that failed or were refused.
type loginLine struct {
	Kind        contract.LoginKind `json:"kind" enum:"login,login_failed,login_limited,logout" example:"login_failed"`
	Description string             `json:"description" example:"Gagal masuk: kata sandi"`
	FirstAt     string             `json:"first_at" example:"2024-10-14T06:06:00.000Z"`
	LastAt      string             `json:"last_at" example:"2024-10-14T06:31:00.000Z"`
	Times       int                `json:"times" doc:"how many they are" example:"14"`
	UserID      *contract.PersonID `json:"user_id" doc:"null: no account is known, such as for an e-mail without one" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name        string             `json:"name" doc:"of the account now" example:"Siti Rahma"`
	Email       string             `json:"email" doc:"of the account now" example:"siti@contoh.id"`
	Factor      contract.Factor    `json:"factor" doc:"how the person was authenticated, as in the events of signatures; for a failure the part that was wrong; empty for a logout and for tries that were refused because there were too many" example:"password"`
	IPAddress   string             `json:"ipAddress" doc:"of the last one; empty: from further networks, together" example:"203.0.113.7"`
	Device      *string            `json:"device" doc:"of the last one, as it names itself; null: unknown" example:"Chrome di Windows"`
}

// failedAccount is an account with many failed logins.
type failedAccount struct {
	UserID   contract.PersonID `json:"user_id" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name     string            `json:"name" example:"Siti Rahma"`
	Email    string            `json:"email" example:"siti@contoh.id"`
	Times    int               `json:"times" doc:"failed logins in the last 24 hours" example:"120"`
	Networks int               `json:"networks" doc:"from so many networks, or more" example:"3"`
	LastAt   string            `json:"last_at" example:"2024-10-14T06:31:00.000Z"`
}

type adminLoginsData struct {
	Logins     []loginLine     `json:"logins"`
	Kinds      []choice        `json:"kinds" doc:"the values that can be chosen"`
	Failed     []failedAccount `json:"failed" doc:"accounts with at least 20 failed logins in the last 24 hours, those with the most first; at most 20"`
	Keys       []logLine       `json:"keys" doc:"uses of API keys from new networks in the last 7 days, newest first; at most 20"`
	Pagination pagination      `json:"pagination" doc:"records are counted up to 10,000"`
}

func loginParams() []*huma.Param {
	return []*huma.Param{
		choiceParam("kind", "Only records of this kind.", contract.LoginKinds),
		{Name: "person", In: "query", Description: "Only those of this person: a UUID, or the e-mail that they have now.", Schema: textSchema()},
		{Name: "address", In: "query", Description: "Only those from this IP address or network.", Schema: textSchema()},
		{Name: "search", In: "query", Description: "Only those whose name, e-mail, address or device contains this text.", Schema: textSchema()},
		timeParam("from", "Only those at this time or later; ISO 8601 with a zone."),
		timeParam("until", "Only those before this time; ISO 8601 with a zone."),
	}
}

func (q *query) parseLoginQuery(p page) store.LoginQuery {
	r := q.parseLoginFilters()
	r.Offset, r.Limit = p.skippedLines(), p.limit
	return r
}

// parseLoginFilters reads the query for recorded logins.
func (q *query) parseLoginFilters() store.LoginQuery {
	r := store.LoginQuery{
		Organisation: q.parseOrganisation(), Kind: parseChoice(q, "kind", contract.LoginKinds), Address: contract.CleanText(q.Get("address")),
		Search: contract.CleanText(q.Get("search")), From: q.parseTime("from"), Until: q.parseTime("until"),
	}
	r.Person, r.Email = q.parsePerson()
	return r
}

func (c *call) loginsOf(p page, l workflow.LoginPage) adminLoginsData {
	return adminLoginsData{
		Logins: convertAll(l.Lines, c.loginOf),
		Kinds:  convertAll(contract.LoginKinds, func(k contract.LoginKind) choice { return choice{text.LoginKind(c.language, k), string(k)} }),
		Failed: convertAll(l.Failed, func(f workflow.FailedAccount) failedAccount {
			return failedAccount{f.Person, f.Holder.DisplayName(), f.Holder.Email, f.Times, f.Networks, formatISO(f.LastAt)}
		}),
		Keys:       convertAll(l.Keys, c.logLineOf),
		Pagination: paginate(p, l.Total, len(l.Lines)),
	}
}

func (c *call) loginOf(l store.LoginLine) loginLine {
	line := loginLine{
		Kind: l.Kind, Description: text.Login(c.language, l.Login), FirstAt: formatISO(l.FirstAt), LastAt: formatISO(l.LastAt), Times: l.Times,
		Name: l.Holder.Name, Email: l.Holder.Email, Factor: l.Factor, IPAddress: l.IP,
	}
	if l.Person != "" {
		line.UserID = &l.Person
	}
	if l.UserAgent != "" {
		line.Device = orNull(text.Device(c.language, l.UserAgent))
	}
	return line
}

// loginsCSV streams the records.
func (c *call) loginsCSV() error {
	q := c.parseQuery()
	c.chooseLanguage(q)
	r := q.parseLoginFilters()
	if err := q.bad.asError(); err != nil {
		return err
	}
	newLogins := func(w io.Writer) *export.Logins {
		return export.NewLogins(w, func(l store.LoginLine) string { return text.Login(c.language, l.Login) })
	}
	return streamCSV(c, "segel-logins.csv", newLogins, func(write func(store.LoginLine) error) error {
		return c.Workflow.EachLogin(c.r.Context(), c.by, r, write)
	})
}
