package contract

// OrganisationState says what an organisation and its people may do.
type OrganisationState string

// The states of organisations. Only operators change them, and those of the first organisation, which runs the service, never changes.
const (
	// OrganisationActive is the zero value: an organisation whose state was never changed has no row that says so.
	OrganisationActive OrganisationState = ""
	// OrganisationSuspended stops its people, their API keys and the guests of its documents. What was ordered before is finished.
	OrganisationSuspended OrganisationState = "suspended"
	// OrganisationClosed is OrganisationSuspended for ever.
	OrganisationClosed OrganisationState = "closed"
)

// Errors of organisations.
var (
	ErrOrganisationSuspended = Refuse(Forbidden, "organisation.suspended")
	ErrOrganisationClosed    = Refuse(Forbidden, "organisation.closed")
	ErrOrganisationExists    = Refuse(Conflict, "organisation.exists")
	// ErrFirstOrganisation refuses to suspend or close the organisation that runs the service.
	ErrFirstOrganisation = Refuse(Conflict, "organisation.first")
	// ErrOrganisationEnded refuses changes of an organisation that was closed.
	ErrOrganisationEnded = Refuse(Conflict, "organisation.ended")
)

// RequireActive refuses what a suspended or closed organisation stops.
func (s OrganisationState) RequireActive() error {
	switch s {
	case OrganisationActive:
		return nil
	case OrganisationSuspended:
		return ErrOrganisationSuspended
	}
	return ErrOrganisationClosed // or a state of a later release
}

// CheckNext decides whether an operator may give an organisation another state. The state that it has is [ErrSameState].
func (s OrganisationState) CheckNext(next OrganisationState) error {
	switch {
	case s == next:
		return ErrSameState
	case s == OrganisationClosed:
		return ErrOrganisationEnded
	}
	return nil
}

// ErrSameState says that an organisation has the state that it is to get.
var ErrSameState = Refuse(Conflict, "organisation.same_state")
