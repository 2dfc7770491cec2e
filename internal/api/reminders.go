package api

import (
	"segel/internal/contract"
	"segel/internal/store"
)

// adminReminders is the schedule of reminders that new documents of an organisation get.
type adminReminders struct {
	Organisation organisationOut `json:"organisation"`
	Remind       remindOut       `json:"remind" doc:"in days; 0: not"`
}

func adminRemindersOf(o store.Organisation) adminReminders {
	return adminReminders{Organisation: organisationOf(o), Remind: remindOut(o.Reminders)}
}

func (c *call) loadReminders() (adminReminders, error) {
	q := c.parseQuery()
	of := q.parseOrganisation()
	if err := q.bad.asError(); err != nil {
		return adminReminders{}, err
	}
	o, err := c.Workflow.AdminReminders(c.r.Context(), c.by, of)
	if err != nil {
		return adminReminders{}, err
	}
	return adminRemindersOf(o), nil
}

type adminRemindersIn struct {
	Organisation phrase    `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	Remind       *remindIn `json:"remind" required:"true" doc:"as in upload-docs; a missing number is 0"`
}

func (c *call) storeReminders(in *adminRemindersIn) (done[adminReminders], error) {
	var bad problems
	of := contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad)))
	if in.Remind == nil {
		bad.add("remind", "value.required")
	}
	r := in.Remind.parseReminders(&bad)
	if err := bad.asError(); err != nil {
		return done[adminReminders]{}, err
	}
	o, err := c.Workflow.SetReminders(c.r.Context(), c.by, of, r)
	if err != nil {
		return done[adminReminders]{}, err
	}
	return doneAnswer(c, "done.reminders", adminRemindersOf(o)), nil
}
