package api

import (
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// endsSoon is how long before its expiry a certificate is marked.
const endsSoon = 60 * 24 * time.Hour

var certificateStatuses = []store.CertificateStatus{store.CertificateValid, store.CertificateEnded, store.CertificateRevoked}

type certificateLine struct {
	Serial    string                  `json:"serial" doc:"hexadecimal" example:"5f0c9d2e4b7a"`
	Subject   string                  `json:"subject" example:"CN=Siti Rahma,O=PT Contoh"`
	Role      string                  `json:"role" doc:"the authority's own are root, issuing, tsa, ocsp, guest_issuing and guest_ocsp; seal: of an organisation; person: of somebody who signs" enum:"root,issuing,tsa,ocsp,guest_issuing,guest_ocsp,seal,person" example:"person"`
	Status    store.CertificateStatus `json:"standing" enum:"valid,ended,revoked" example:"valid"`
	IssuedAt  string                  `json:"issued_at" example:"2024-10-14T06:06:00.000Z"`
	NotAfter  string                  `json:"not_after" example:"2026-10-14T06:06:00.000Z"`
	EndsSoon  bool                    `json:"ends_soon" doc:"it is valid, and ends within 60 days"`
	RevokedAt *string                 `json:"revoked_at"`

	Assurance contract.Assurance `json:"assurance" doc:"what was verified about the holder: guest_unverified, account_password, organisation_seal or specimen; empty of the authority's own, and where it was not recorded" example:"account_password"`
	NamedBy   string             `json:"named_by" doc:"who entered the name of a guest" example:""`
}

type adminCertificatesData struct {
	Authority    []certificateLine `json:"authority" doc:"the authority's own, on every page"`
	Certificates []certificateLine `json:"certificates" doc:"what it issued"`
	Pagination   pagination        `json:"pagination" doc:"of certificates"`
}

func (s *server) registerAdminCertificates() {
	serveGet(s, endpoint{
		path: adminBase + "certificates", id: "admin-certificates", group: groupAdmin, admin: contract.AdminCertificates,
		params:  adminParams(choiceParam("standing", "Only those that stand so.", certificateStatuses)),
		summary: "The embedded authority's certificates", description: "Those that end first come first.",
	}, func(c *call) (found[adminCertificatesData], error) {
		now := c.Clock()
		p, l, err := queryAdminPage(c, func(q *query, p page) store.CertificateQuery {
			return store.CertificateQuery{
				Organisation: q.parseOrganisation(), Status: parseChoice(q, "standing", certificateStatuses), Now: now, Offset: p.skippedLines(), Limit: p.limit,
			}
		}, c.Workflow.CertificateList)
		if err != nil {
			return found[adminCertificatesData]{}, err
		}
		data := adminCertificatesData{Authority: []certificateLine{}, Certificates: []certificateLine{}, Pagination: paginate(p, l.Total, len(l.Lines))}
		for _, r := range l.Own {
			data.Authority = append(data.Authority, certificateOf(r.Certificate, r.Role, now))
		}
		for _, r := range l.Lines {
			data.Certificates = append(data.Certificates, certificateOf(r.Certificate, r.Role, now))
		}
		return foundAnswer(data), nil
	})
}

func certificateOf(r store.Certificate, role string, now time.Time) certificateLine {
	line := certificateLine{
		Serial: r.Serial, Subject: r.Subject, Role: role, Status: r.Status(now),
		IssuedAt: formatISO(r.IssuedAt), NotAfter: formatISO(r.NotAfter), RevokedAt: isoOrNull(r.RevokedAt),
		Assurance: r.Assurance, NamedBy: r.NamedBy,
	}
	line.EndsSoon = line.Status == store.CertificateValid && r.NotAfter.Before(now.Add(endsSoon))
	return line
}
