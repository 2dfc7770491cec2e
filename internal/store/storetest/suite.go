// Package storetest defines the behaviour of every store, as tests that any implementation runs unchanged:
//
//	func TestStore(t *testing.T) { storetest.Run(t, func(t *testing.T) store.Store { ... }) }
//
// Documents change by the rules of package contract, so that the tests commit the same changes as the service.
package storetest

import (
	"testing"

	"segel/internal/store"
)

// Run tests that a store fulfils its contract. Open returns an empty store and closes it when the test ends.
func Run(t *testing.T, open func(*testing.T) store.Store) {
	t.Parallel()
	for _, group := range []map[string]func(*testing.T, *fixture){
		commitTests,
		refusalTests,
		listTests,
		serialTests,
		attemptTests,
		countTests,
		dueTests,
		renewalTests,
		quotaTests,
		bookTests,
		logTests,
		peopleTests,
		tokenTests,
		callerTests,
		storageTests,
		credentialTests,
		answerTests,
		textTests,
		administrationTests,
		clockTests,
		installationTests,
		officeRecordTests,
		uploadTests,
		collectTests,
		blobKeyTests,
		noticeTests,
		guestCodeTests,
		webhookTests,
		evidenceTests,
		consentTests,
		scheduleTests,
		filingTests,
		sessionTests,
		invitationTests,
		tryTests,
		loginTests,
		apiKeyTests,
		testDocumentTests,
		documentRoleTests,
		teamTests,
		templateTests,
		ssoTests,
		scimTests,
		mailboxTests,
		personalTests,
		erasureTests,
		retentionTests,
		embedTests,
		factorTests,
		nodeTests,
		masterKeyTests,
		leaseTests,
		backupTests,
		monitoringTests,
	} {
		for name, test := range group {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, newFixture(t, open(t)))
			})
		}
	}
}
