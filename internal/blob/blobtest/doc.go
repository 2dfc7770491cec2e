// Package blobtest contains the tests that every [blob.Store] must pass, and stores for the tests of other packages:
// [Memory], which stores nothing permanently, and [Faulty], which fails on demand.
package blobtest
