-- Versions that counted in the row of another one then.
SELECT agent_id, into_id, at, reason FROM (
    SELECT DISTINCT ON (agent_id) agent_id, into_id, at, reason, holds FROM battles_agentmerge
    WHERE at <= %(at)s ORDER BY agent_id, id DESC
) AS newest WHERE holds ORDER BY agent_id COLLATE "C"
