-- segel: expanding level 1
--
-- Lists are counted by box_span and box_leaf (migration 0020), and nothing reads the counts by day. Dropping a table is otherwise a
-- contracting migration, one release after the program stopped using it. No release has written this table yet, so no other program
-- can be using it.

-- +goose Up
DROP TABLE box_count;
