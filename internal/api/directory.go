package api

import "segel/internal/contract"

// directoryAnswer has no success member, unlike other answers.
type directoryAnswer struct {
	Code int           `json:"code" doc:"equals the HTTP status" example:"200"`
	Data directoryData `json:"data"`
}

type directoryData struct {
	User       []directoryUser `json:"user"`
	Pagination pagination      `json:"pagination"`
}

type directoryUser struct {
	ID     contract.PersonID `json:"id" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name   string            `json:"name" example:"Siti Rahma"`
	Email  string            `json:"email" example:"siti@contoh.id"`
	Avatar string            `json:"avatar" doc:"address of a picture" example:"https://segel.contoh.id/v1/avatar/8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01?initials=SR"`
}

func (s *server) registerDirectory() {
	serveGet(s, endpoint{
		path: "/v1/auth/list_user", id: "list-users", group: groupAccount, params: pageParams(directoryLimit),
		summary:     "The signer directory",
		description: "Users of the caller's organisation, by name.",
	}, func(c *call) (directoryAnswer, error) {
		q := c.parseQuery()
		p, search := q.parsePage(directoryLimit), q.parseSearch()
		if err := q.bad.asError(); err != nil {
			return directoryAnswer{}, err
		}
		people, total, err := c.Identity.Directory(c.r.Context(), c.by, search, int(p.number), p.limit)
		if err != nil {
			return directoryAnswer{}, err
		}
		out := directoryAnswer{Code: 200}
		out.Data.User = []directoryUser{}
		for _, u := range people {
			out.Data.User = append(out.Data.User, directoryUser{ID: u.ID, Name: u.Name, Email: u.Email, Avatar: c.avatarURL(u)})
		}
		out.Data.Pagination = paginate(p, total, len(people))
		out.Data.Pagination.Limit = p.limit
		return out, nil
	})
}
