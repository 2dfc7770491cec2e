// Package helm checks the Helm chart deploy/helm/segel with the libraries of helm and the types of Kubernetes; make check-deploy runs its tests. It is
// in a separate module, so that what it needs is not part of ours.
package helm
