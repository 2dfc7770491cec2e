// Package storetest defines the behaviour of every store, as tests that any implementation runs unchanged:
//
//	func TestStore(t *testing.T) { storetest.Run(t, func(t *testing.T) store.Store { ... }) }
//
// Documents change by the rules of package contract, so that the tests commit the same changes as the service.
package storetest
