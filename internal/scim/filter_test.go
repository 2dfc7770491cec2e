package scim

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestAFilterOfAListSelectsByPartsOfMultiValuedAttributesAndByMetadata has a group with members and one without.
func TestAFilterOfAListSelectsByPartsOfMultiValuedAttributesAndByMetadata(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	legal := s.addGroup(s.people[0], s.people[1])
	s.send("POST", "/Groups", strings.Replace(groupOf(), "Legal", "Empty", 1))
	siti, dewi := string(s.people[0]), string(s.people[2])
	before, after := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	for query, want := range map[string]int{
		`Groups members.value eq "` + siti + `"`:                                             1,
		`Groups MEMBERS.Value eq "` + strings.ToUpper(siti) + `"`:                            1,
		`Groups urn:ietf:params:scim:schemas:core:2.0:Group:members.value eq "` + siti + `"`: 1,
		`Groups members.value eq "` + dewi + `"`:                                             0,
		`Groups members.value eq "` + dewi + `" or members.value eq "` + siti + `"`:          1,
		`Groups id eq "` + legal + `" and members.value eq "` + siti + `"`:                   1,
		`Groups not (members.value eq "` + siti + `")`:                                       1, // the one without members
		`Groups members.value ne "` + siti + `"`:                                             1, // the one with another member
		`Groups members.$ref ew "` + siti + `"`:                                              1,
		`Groups members.type eq "User"`:                                                      1,
		`Groups members.display pr`:                                                          0,
		`Groups members pr`:                                                                  1,
		`Groups not (members pr)`:                                                            1,
		`Groups displayName pr`:                                                              2,
		`Users emails.value sw "siti@"`:                                                      1,
		`Users emails.value ew "@contoh.id"`:                                                 4,
		`Users emails.primary eq true and emails.type eq "work"`:                             4,
		`Users roles.value eq "admin"`:                                                       1,
		`Users name.givenName pr`:                                                            0,
		`Users meta.lastModified gt "` + before + `"`:                                        4,
		`Users meta.lastModified gt "` + after + `"`:                                         0,
		`Groups meta.created lt "` + after + `"`:                                             2,
		`Groups meta.resourceType eq "Group"`:                                                2,
		`Groups meta.location ew "/scim/v2/Groups/` + legal + `"`:                            1,
		`Users schemas eq "urn:ietf:params:scim:schemas:core:2.0:User"`:                      4,
		`Groups schemas eq "urn:ietf:params:scim:schemas:core:2.0:User"`:                     0,
	} {
		kind, f, _ := strings.Cut(query, " ")
		code, body := s.send("GET", "/"+kind+"?filter="+url.QueryEscape(f), "")
		if found := strings.Count(body, `"resourceType":"`); code != http.StatusOK || found != want {
			t.Errorf("%s: %d, %d resources, want %d: %.200s", query, code, found, want, body)
		}
	}
}

func TestAFilterOfMetadataAsOneIsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, f := range []string{`meta eq "x"`, `displayName eq "x" or meta gt "x"`} {
		if code, body := s.send("GET", "/Users?filter="+url.QueryEscape(f), ""); code != http.StatusBadRequest || !strings.Contains(body, "invalidFilter") {
			t.Errorf("%s: %d %s", f, code, body)
		}
	}
	if code, body := s.send("GET", "/Users?filter="+url.QueryEscape(`meta pr`), ""); code != http.StatusOK {
		t.Errorf("%d %s", code, body)
	}
}
