import { sql as fragment } from "../sql/Statement.ts"

/** Revision of the webhook `w`. A change of the webhook and a resumption increase it. */
export const REVISION = fragment`greatest(w.set_revision, w.resumed_revision)`

/**
 * Subquery of the health of the webhook `w`, of which `e` is the row of `endpoints`, or null. What workers noted before the
 * webhook was changed or resumed does not count any more.
 */
export const HEALTH = fragment`
  lateral (
    select
      case when e.revision >= ${REVISION} then e.failing_since end as failing_since,
      case when e.revision >= w.url_revision then e.called_at end as called_at,
      case when e.revision >= w.set_revision then e.test_failed_at end as test_failed_at,
      case when stopped.is_valid then e.paused_at else w.paused_at end as paused_at,
      case when stopped.is_valid then e.pause_reason else w.pause_reason end as pause_reason
    from (select e.paused_at is not null and e.revision >= w.resumed_revision as is_valid) stopped
  )
`
