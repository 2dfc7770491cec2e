-- segel: expanding level 1
--
-- In which capacity people act on a document, where their role alone does not say so (decision 0085), as JSON. A document of signers and viewers alone has no row.
-- The role of each person stays in participant, which is all that programs of earlier releases read: to them an approver is a signer, so none of
-- them completes a document that waits for an approval.

-- +goose Up
CREATE TABLE document_roles (
    document BIGINT PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
    roles TEXT NOT NULL
);

-- +goose Down
DROP TABLE document_roles;
