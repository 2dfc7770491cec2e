package main

import (
	"fmt"
	"text/tabwriter"
	"time"

	"segel/internal/contract"
	"segel/internal/identity"
)

type keyCommand struct {
	List   keyListCommand   `cmd:"" help:"List the API keys of an organisation, the newest first, also those that have ended."`
	Revoke keyRevokeCommand `cmd:"" help:"Revoke an API key; it ends at once."`
}

type keyListCommand struct {
	dataFlag
	organisationFlag
}

// keysAtOnce is how many keys are read at a time.
const keysAtOnce = 200

func (c keyListCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		of, err := c.findOrganisation(w, a)
		if err != nil {
			return err
		}
		t := tabwriter.NewWriter(w.stdout, 0, 8, 2, ' ', 0)
		fmt.Fprintln(t, "id\tname\tkey\tperson\torganisation\tscopes\tstatus\tlast used\tfrom")
		now := a.clock()
		for page, shown, total := 1, 0, 1; shown < total; page++ {
			keys, all, err := a.identity.ListMemberKeys(w.ctx, contract.Actor{}, of, identity.KeySelection{Page: page, Limit: keysAtOnce})
			if err != nil {
				return plainError(err)
			}
			if total = all; len(keys) == 0 {
				break
			}
			shown += len(keys)
			for _, k := range keys {
				status, used := string(k.Status(now)), ""
				switch k.Status(now) {
				case contract.KeyRevoked:
					status += " " + k.RevokedAt.UTC().Format(time.RFC3339)
				case contract.KeyExpired:
					status += " " + k.ExpiresAt.UTC().Format(time.RFC3339)
				}
				if k.Test {
					status += ", test"
				}
				if !k.LastUsedAt.IsZero() {
					used = k.LastUsedAt.UTC().Format(time.RFC3339)
				}
				fmt.Fprintf(t, "%s\t%s\t%s…\t%s <%s>\t%s\t%s\t%s\t%s\t%s\n", k.ID, k.Name, k.Hint, k.Holder.Name, k.Holder.Email, k.OrganisationName, contract.JoinScopes(k.Scopes), status, used, k.LastNetwork)
			}
		}
		return t.Flush()
	})
}

type keyRevokeCommand struct {
	dataFlag
	ID contract.KeyID `arg:"" help:"The key, as segel key list names it."`
}

func (c keyRevokeCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		k, err := a.identity.RevokeMemberKey(w.ctx, commandLineActor("key revoke"), c.ID)
		if err != nil {
			return plainError(err)
		}
		_, err = fmt.Fprintf(w.stdout, "revoked %s of %s <%s>\n", k.Name, k.Holder.Name, k.Holder.Email)
		return err
	})
}
