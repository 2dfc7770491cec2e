// Package storetest says what every store owes, as tests that any implementation runs unchanged:
//
//	func TestStore(t *testing.T) { storetest.Run(t, func(t *testing.T) store.Store { ... }) }
//
// Documents go through their lives by the rules of package contract, so that what is committed here is what
// the service commits.
package storetest
