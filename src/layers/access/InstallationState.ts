import { type InstallationAct, type InstallationState, TRANSITIONS } from "../../domain/access/InstallationState.ts"
import { type Fragment, sql } from "../sql/Statement.ts"

/*
 * States of installations as conditions on the row `i`. Uninstalled apps keep their row for the next installation. A
 * constraint of the table ensures that a row has one state.
 */

const IS: Record<InstallationState, Fragment> = {
  active: sql`i.is_active`,
  suspended: sql`(not i.is_active and i.uninstalled_at is null)`,
  uninstalled: sql`i.uninstalled_at is not null`
}

/** Assignments that put a row into a state. */
const SET: Record<InstallationState, Fragment> = {
  active: sql`is_active = true, uninstalled_at = null`,
  suspended: sql`is_active = false, uninstalled_at = null`,
  uninstalled: sql`is_active = false, uninstalled_at = statement_timestamp(), held_at = null`
}

/** Condition of installations that are not uninstalled. */
export const INSTALLED = sql`i.uninstalled_at is null`

export const STATE = sql`
  case when ${IS.active} then 'active' when ${IS.uninstalled} then 'uninstalled' else 'suspended' end
`

/** Returns the condition of installations that allow the act. */
export const canTransition = (act: InstallationAct): Fragment => sql.or(TRANSITIONS[act].from.map((state) => IS[state]))

/** Returns the assignments of the act. */
export const transition = (act: InstallationAct): Fragment => SET[TRANSITIONS[act].to]
